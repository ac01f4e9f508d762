/**
 * Prompts and their parsing. Training and sampling share one form (STP uses three different ones, stp-code defect 1).
 * The markers are tokens of their own in the embedded tokenizer. Names of theorems are left out, because a proof does
 * not need them.
 */

import type { Example } from '@stp/config/records';
import { PROMPT_MARKERS, PROOF_MARKER, STATE_MARKER } from '@stp/config/words';
import { declarationHead, onOneLine, proofAssignment, statementPieces, typeColon } from '@stp/lean-text';

/** Marker texts; no text inside a prompt may contain one. */
export const MARKERS: readonly string[] = [...PROMPT_MARKERS, STATE_MARKER];
/** Stands for a missing lemma (STP's `theorem true: True`). */
const NO_LEMMA = 'True';

/** Rewrites `theorem foo (n : Nat) : p n` as `(n : Nat) : p n`, with single blanks. */
export function displayStatement(statement: string): string {
  const opening = declarationHead(statement)?.text ?? '';
  // Blanks replace the name, so every column stays; columns decide where a `let` ends.
  return onOneLine(' '.repeat(opening.length) + statement.slice(opening.length));
}

/** Rewrites `theorem foo (n : Nat) : p n` as `foo (n : Nat) : p n`. */
export function namedStatement(statement: string): string {
  return statement.replace(/^\s*(?:theorem|lemma)\s+/u, '');
}

/** Returns a proof as it is trained and sampled: without common indentation and trailing white space. */
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

/** Asks for an easier statement that helps with an unproved one, as SGS does: the markers in reverse order. */
export function targetPrompt(target: string): string {
  return `<hard>${displayStatement(target)}<easy>`;
}

/** What a conjecture is requested from: a proved statement and its lemma, or an unproved target. */
export type ConjectureOrigin =
  | ({ readonly kind: 'seed'; readonly lemmaStatement: string | null } & Omit<ConjecturerInput, 'lemma'>)
  | { readonly kind: 'target'; readonly targetStatement: string };

export function proverExample(statement: string, proof: string, weight: number): Example {
  return { prompt: proverPrompt(statement), target: displayProof(proof), weight, role: 'prover' };
}

export function conjecturerExample(input: ConjecturerInput, hard: string, weight: number): Example {
  return { prompt: conjecturerPrompt(input), target: displayStatement(hard), weight, role: 'conjecturer' };
}

/** Makes a (harder theorem → easier theorem below it) example, in the form in which targets are sampled. */
export function targetExample(target: string, easier: string, weight: number): Example {
  return { prompt: targetPrompt(target), target: displayStatement(easier), weight, role: 'conjecturer' };
}

/**
 * Reads the conjecturer's text as a statement named `name`. Null if it cannot be one: no `:` outside brackets,
 * unbalanced brackets, a marker, or an empty text. Text after a line end is kept, since a statement may have several
 * lines. STP's released form is accepted too: a leading `theorem NAME` is dropped, and a proof is cut off at its `:=`.
 * That is the first `:=` outside brackets that belongs to no `let` or `have`, so default values and `let` stay.
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

/** Marks the end of a conjecture in STP's prompts. */
const STP_END_MARKER = '</hard theorem>';

/** Returns the text before the `:=` of its proof. The proof may be truncated, so its brackets do not matter. */
function dropProof(text: string): string {
  const { pieces } = statementPieces(text);
  const assignment = pieces[proofAssignment(pieces)];
  return assignment === undefined ? text : text.slice(0, assignment.at);
}
