/**
 * Prompts and their parsing. One form serves training and sampling (STP uses three that differ, stp-code defect 1). The
 * markers are tokens of their own in the embedded tokenizer; names of theorems are left out, since they carry nothing
 * that a proof needs.
 */
import type { Example } from '../data/schemas/records.ts';

export const PROMPT_MARKERS = ['<prove>', '<by>', '<lemma>', '<easy>', '<hard>'] as const;
/** Stands where no lemma is asked of the conjecture (STP's `theorem true: True`). */
const NO_LEMMA = 'True';

/** `theorem foo (n : Nat) : p n` → `(n : Nat) : p n`, white space made single. */
export function displayStatement(statement: string): string {
  return statement
    .replace(/^\s*(?:theorem|lemma)\s+[^\s:({[⦃]+\s*/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** A proof as it is trained and sampled: common indentation and trailing white space removed. */
export function displayProof(proof: string): string {
  const lines = proof
    .replace(/\r\n?/gu, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents, Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join('\n');
}

export function proverPrompt(statement: string): string {
  return `<prove>${displayStatement(statement)}<by>`;
}

export interface ConjecturerInput {
  /** Statement of the lemma to share, or null. */
  readonly lemma: string | null;
  readonly easyStatement: string;
  readonly easyProof: string;
}

export function conjecturerPrompt(input: ConjecturerInput): string {
  const lemma = input.lemma === null ? NO_LEMMA : displayStatement(input.lemma);
  return `<lemma>${lemma}<easy>${displayStatement(input.easyStatement)}<by>${displayProof(input.easyProof)}<hard>`;
}

export function proverExample(statement: string, proof: string, weight: number): Example {
  return { prompt: proverPrompt(statement), target: displayProof(proof), weight, role: 'prover' };
}

export function conjecturerExample(input: ConjecturerInput, hard: string, weight: number): Example {
  return { prompt: conjecturerPrompt(input), target: displayStatement(hard), weight, role: 'conjecturer' };
}

/**
 * What the conjecturer wrote, as a statement named `name`; null when it cannot be one: no `:` at bracket depth 0,
 * brackets that do not balance, a marker or `:=` at depth 0 (a proof of its own), or nothing at all. Text after a line
 * end is kept: a statement may have several lines.
 */
export function parseConjecture(text: string, name: string): string | null {
  const body = text.replace(/\s+/gu, ' ').trim();
  if (body === '' || PROMPT_MARKERS.some((marker) => body.includes(marker))) return null;
  const closing: string[] = [];
  const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '⟨': '⟩', '⦃': '⦄' };
  let colonAt = -1;
  for (let i = 0; i < body.length; i++) {
    const character = body[i]!;
    if (pairs[character] !== undefined) closing.push(pairs[character]);
    else if (')]}⟩⦄'.includes(character)) {
      if (closing.pop() !== character) return null;
    } else if (character === ':' && closing.length === 0) {
      if (body[i + 1] === '=') return null;
      if (body[i + 1] === ':' || body[i - 1] === ':') continue;
      if (colonAt < 0) colonAt = i;
    }
  }
  if (closing.length > 0 || colonAt < 0 || body.slice(colonAt + 1).trim() === '') return null;
  const binders = body.slice(0, colonAt).trim();
  if (binders !== '' && !/^[({[⦃]/u.test(binders)) return null;
  return `theorem ${name} ${binders === '' ? '' : `${binders} `}: ${body.slice(colonAt + 1).trim()}`;
}
