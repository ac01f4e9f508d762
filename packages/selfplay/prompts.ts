/**
 * Prompts and their parsing. One form serves training and sampling (STP uses three different ones, stp-code defect 1).
 * The markers are tokens of their own in the embedded tokenizer. Names of theorems are left out, because a proof does
 * not need them.
 */

import type { Example } from '@stp/config/records';
import { PROMPT_MARKERS, PROOF_MARKER, STATE_MARKER } from '@stp/config/words';
import { declarationHead, onOneLine, proofAssignment, statementPieces, typeColon } from '@stp/lean-text';

/** No text of a prompt may hold one. */
export const MARKERS: readonly string[] = [...PROMPT_MARKERS, STATE_MARKER];
/** Stands where no lemma is asked of the conjecture (STP's `theorem true: True`). */
const NO_LEMMA = 'True';

/** `theorem foo (n : Nat) : p n` → `(n : Nat) : p n`, white space made single. */
export function displayStatement(statement: string): string {
  const opening = declarationHead(statement)?.text ?? '';
  // Blanks in its place keep every column, which decides where a `let` ends.
  return onOneLine(' '.repeat(opening.length) + statement.slice(opening.length));
}

/** `theorem foo (n : Nat) : p n` → `foo (n : Nat) : p n`. */
export function namedStatement(statement: string): string {
  return statement.replace(/^\s*(?:theorem|lemma)\s+/u, '');
}

/** A proof as it is trained and sampled: common indentation and trailing white space removed. */
export function displayProof(proof: string): string {
  const lines = proof
    .replace(/\r\n?/gu, '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const indentOf = (line: string): number =>
    line === '' ? Number.POSITIVE_INFINITY : line.length - line.trimStart().length;
  const common = lines.reduce((least, line) => Math.min(least, indentOf(line)), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join('\n');
}

export function proverPrompt(statement: string): string {
  return `<prove>${displayStatement(statement)}${PROOF_MARKER}`;
}

export interface ConjecturerInput {
  /** Statement of the lemma to share, or null. */
  readonly lemma: string | null;
  readonly easyStatement: string;
  readonly easyProof: string;
}

export function conjecturerPrompt(input: ConjecturerInput): string {
  const lemma = input.lemma === null ? NO_LEMMA : displayStatement(input.lemma);
  return `<lemma>${lemma}<easy>${displayStatement(input.easyStatement)}${PROOF_MARKER}${displayProof(input.easyProof)}<hard>`;
}

/** Asks for an easier statement that helps with an unproved one, as SGS does: the markers the other way round. */
export function targetPrompt(target: string): string {
  return `<hard>${displayStatement(target)}<easy>`;
}

/** The source of a request for a conjecture: a proved statement and its lemma, or an unproved target. */
export type ConjectureOrigin =
  | ({ readonly kind: 'seed'; readonly lemmaStatement: string | null } & Omit<ConjecturerInput, 'lemma'>)
  | { readonly kind: 'target'; readonly targetStatement: string };

export function proverExample(statement: string, proof: string, weight: number): Example {
  return { prompt: proverPrompt(statement), target: displayProof(proof), weight, role: 'prover' };
}

export function conjecturerExample(input: ConjecturerInput, hard: string, weight: number): Example {
  return { prompt: conjecturerPrompt(input), target: displayStatement(hard), weight, role: 'conjecturer' };
}

/** (harder theorem → an easier one that it stands on), in the shape that targets are sampled with. */
export function targetExample(target: string, easier: string, weight: number): Example {
  return { prompt: targetPrompt(target), target: displayStatement(easier), weight, role: 'conjecturer' };
}

/**
 * Reads the conjecturer's text as a statement named `name`; null if it cannot be one: no `:` outside brackets, brackets that do
 * not balance, a marker, or nothing at all. Text after a line end is kept: a statement may have several lines. STP's released
 * form is read too: `theorem NAME` in front is dropped, and what comes with the `:=` of a proof of its own is cut off. That is
 * the first one outside brackets which no `let` or `have` asks for, so default values and `let` stay.
 */
export function parseConjecture(text: string, name: string): string | null {
  if (MARKERS.some((marker) => text.includes(marker))) return null;
  const end = text.indexOf(STP_END_MARKER);
  const signature = dropProof(end < 0 ? text : text.slice(0, end));
  if (!statementPieces(signature).balanced) return null;
  const body = displayStatement(signature);
  const { pieces } = statementPieces(body);
  const colon = pieces[typeColon(pieces)]?.at;
  if (colon === undefined) return null;
  const binders = body.slice(0, colon).trim();
  const type = body.slice(colon + 1).trim();
  if (type === '' || (binders !== '' && !/^[({[⦃]/u.test(binders))) return null;
  return `theorem ${name} ${binders === '' ? '' : `${binders} `}: ${type}`;
}

/** Ends a conjecture in STP's prompts. */
const STP_END_MARKER = '</hard theorem>';

/** The text before the `:=` of its proof. What follows may be cut off anywhere, so its brackets do not matter. */
function dropProof(text: string): string {
  const { pieces } = statementPieces(text);
  const assignment = pieces[proofAssignment(pieces)];
  return assignment === undefined ? text : text.slice(0, assignment.at);
}
