/** Asks for the mark of one proof, with evidence quoted from it, and with points for each criterion of the rubric. */

import { type Evidence, evidenceSchema, type Mark } from '@stp/config/records';
import { z } from 'zod';
import { quoteProblem } from '../quotes.ts';
import type { Criterion } from '../rubric.ts';
import { markOn } from '../scale.ts';
import { asking, inWords, issueOf, jsonSchemaOf, type Problem, type Question, type Unusable } from './question.ts';

export interface MarkAnswer {
  readonly mark: Mark;
  readonly evidence: readonly Evidence[];
  readonly criteria: readonly Criterion[];
}

const base = z.strictObject({ analysis: z.string(), evidence: z.array(evidenceSchema), mark: z.number() });
const withCriteria = z.strictObject({
  ...base.shape,
  criteria: z.array(z.strictObject({ name: z.string(), points: z.number() })),
});
/** Rounding error of sums of points such as 0.1. */
const TOLERANCE = 1e-9;

export function markQuestion(problem: Problem, criteria: readonly Criterion[], proof: string): Question<MarkAnswer> {
  const form = criteria.length > 0 ? withCriteria : base;
  const schema = jsonSchemaOf(form);
  const { scale } = problem;
  const instructions = [
    `Mark the proof of the problem. The mark is ${scale.description}.`,
    problem.rubric === null ? '' : 'Follow the rubric; it says what earns which mark.',
    criteria.length > 0 ? 'Give points for each criterion of the rubric by its name; the mark is their sum.' : '',
    problem.reference === null ? '' : 'The reference is one right solution. Another right way earns as much.',
    'First examine each step (analysis). A claim without a proof is a gap, also if it is true or from a cited paper.',
    'Then give evidence: the steps and errors that decide the mark, each with its exact words copied from the proof (quote). A mark below the maximum needs at least one error.',
    inWords(schema),
  ];
  return {
    name: 'mark',
    messages: asking(problem, [['proof', proof]], instructions),
    schema,
    read(json) {
      const parsed = form.safeParse(json);
      if (!parsed.success) return { kind: 'malformed', detail: issueOf(parsed.error) };
      const { mark, evidence } = parsed.data;
      if (!scale.has(mark)) return { kind: 'off-scale', detail: `the mark is ${mark}, the scale is ${scale.name}` };
      const given = (parsed.data as z.infer<typeof withCriteria>).criteria ?? [];
      return (
        criteriaProblem(criteria, given, mark) ??
        evidenceProblem(evidence, proof, mark < scale.max) ?? { mark: markOn(scale, mark), evidence, criteria: given }
      );
    },
  };
}

function criteriaProblem(asked: readonly Criterion[], given: readonly Criterion[], mark: number): Unusable | null {
  if (asked.length === 0) return null;
  const pointsOf = new Map(given.map(({ name, points }) => [name, points]));
  if (pointsOf.size < given.length || given.length !== asked.length || asked.some(({ name }) => !pointsOf.has(name)))
    return { kind: 'malformed', detail: `criteria: ${given.map(({ name }) => name).join(', ')} are not the rubric's` };
  const over = asked.find(({ name, points }) => pointsOf.get(name)! < 0 || pointsOf.get(name)! > points);
  if (over !== undefined)
    return {
      kind: 'off-scale',
      detail: `criterion ${over.name} has ${pointsOf.get(over.name)} of ${over.points} points`,
    };
  const sum = given.reduce((total, { points }) => total + points, 0);
  if (Math.abs(sum - mark) > TOLERANCE)
    return { kind: 'malformed', detail: `the points add up to ${sum} and the mark is ${mark}` };
  return null;
}

function evidenceProblem(evidence: readonly Evidence[], proof: string, needsError: boolean): Unusable | null {
  if (evidence.length === 0) return { kind: 'not-quoted', detail: 'there is no evidence' };
  for (const { quote } of evidence) {
    const problem = quoteProblem(quote, proof);
    if (problem !== null) return { kind: 'not-quoted', detail: problem };
  }
  if (needsError && !evidence.some(({ kind }) => kind === 'error'))
    return { kind: 'malformed', detail: 'a mark below the maximum names no error' };
  return null;
}
