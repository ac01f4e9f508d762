/**
 * Rubrics in three forms: plain words; IMO-ProofBench's guidelines, numbered items under `(Partial)` and `(Almost)`;
 * criteria with points as JSON, which must add up to the scale's maximum. A text that starts like one of the last two
 * forms but breaks its rules is refused, not read as plain words.
 */
import { z } from 'zod';
import type { Scale } from './scale.ts';

export interface Criterion {
  readonly name: string;
  readonly points: number;
}

export interface Rubric {
  /** Text for the question; null: only the scale. */
  readonly text: string | null;
  /** Criteria that are marked separately; empty if the rubric has none. */
  readonly criteria: readonly Criterion[];
}

const criteriaSchema = z.strictObject({
  criteria: z
    .array(z.strictObject({ name: z.string().min(1).max(512), points: z.number().positive() }))
    .min(1)
    .max(64),
});

/** The heading line of a section of guidelines. */
const HEADING = /^\s*\(([^()]{1,40})\)\s*$/gmu;
const HEADINGS = new Set(['incorrect', 'partial', 'almost', 'correct']);
const ITEM = /^\s*\d+\.\s+\S/mu;
/** Rounding error of sums of points such as 0.1. */
const TOLERANCE = 1e-9;

/** Returns the rubric, or what is wrong with it. */
export function readRubric(text: string | undefined, scale: Scale): Rubric | string {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return { text: null, criteria: [] };
  if (/^[[{]\s*["\]}]/u.test(trimmed)) return readCriteria(trimmed, scale);
  const headings = [...trimmed.matchAll(HEADING)];
  if (headings[0]?.index !== 0) return { text: trimmed, criteria: [] };
  return guidelineProblem(trimmed, headings) ?? { text: trimmed, criteria: [] };
}

function readCriteria(text: string, scale: Scale): Rubric | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `it begins as JSON and is none: ${(error as Error).message}`;
  }
  const parsed = criteriaSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'rubric'}: ${issue?.message}`;
  }
  const { criteria } = parsed.data;
  if (new Set(criteria.map(({ name }) => name)).size < criteria.length) return 'two criteria have one name';
  const sum = criteria.reduce((total, { points }) => total + points, 0);
  if (Math.abs(sum - scale.max) > TOLERANCE)
    return `its points add up to ${sum}, and the scale ${scale.name} ends at ${scale.max}`;
  return { text: criteria.map(({ name, points }) => `- ${name}: ${points}`).join('\n'), criteria };
}

function guidelineProblem(text: string, headings: readonly RegExpExecArray[]): string | null {
  for (const [at, heading] of headings.entries()) {
    const name = heading[1]!.trim();
    if (!HEADINGS.has(name.toLowerCase())) return `(${name}) is no section of guidelines`;
    const section = text.slice(heading.index + heading[0].length, headings[at + 1]?.index);
    if (!ITEM.test(section)) return `section (${name}) has no numbered item`;
  }
  return null;
}
