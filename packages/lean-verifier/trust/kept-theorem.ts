/** Prints a certified theorem from the screen's reading of it, exactly as it was checked. */
import { StpError } from '@stp/base';
import { LIBRARY_HEADER } from './header.ts';
import { namesBoundIn } from './screen/local-names.ts';
import { screenHeader } from './screen/screen-header.ts';
import { screenProof } from './screen/screen-proof.ts';
import { screenStatement } from './screen/screen-statement.ts';
import { calledName } from './stated-form.ts';

export const GROWN_NAMESPACE = 'Grown';

/**
 * The attributes of a grown theorem that let `simp` and `grind` use it without its name: an equation as a rewrite rule,
 * and for `grind` with its left side as the pattern.
 */
export const LEMMA_MARKS = ['simp', 'grind ='] as const;
export type LemmaMark = (typeof LEMMA_MARKS)[number];

export interface GrownTheorem {
  /** Fully qualified name, such as `Grown.g17`. */
  readonly name: string;
  /** Number of the library growth that added it. */
  readonly generation: number;
  readonly header: string | null;
  /** `theorem ANYTHING BINDERS : TYPE`, screened. */
  readonly statement: string;
  /** Certified tactic block. */
  readonly proof: string;
  /** The marks that Lean accepts for this theorem. */
  readonly marks: readonly LemmaMark[];
}

/**
 * Returns the namespace whose opening activates the marks of a grown theorem and of all earlier ones of its header:
 * `Grown.marked17` for `Grown.g17`. Marks are scoped, so they do not affect proofs that do not open it.
 */
export function markedNamespace(name: string): string {
  return `${GROWN_NAMESPACE}.marked${name.slice(GROWN_NAMESPACE.length + 2)}`;
}

/**
 * Returns the grown theorems among these constants. Auxiliary constants that Lean makes for a theorem
 * (`Grown.g17._simp_1`) count as the theorem.
 */
export function grownAmong(constants: readonly string[]): string[] {
  return [...new Set(constants.flatMap((name) => OF_GROWN.exec(name)?.[0] ?? []))];
}

const OF_GROWN = new RegExp(`^${GROWN_NAMESPACE}\\.g[1-9]\\d*(?![^.])`, 'u');

/** Whether a name is that of a theorem of a grown library. */
export const isGrownName = (name: string): boolean => name.startsWith(`${GROWN_NAMESPACE}.`);

const MARKS = `${GROWN_NAMESPACE}\\.marked[1-9]\\d*`;
const MARKED = new RegExp(`^open (${MARKS}) in\\n`, 'u');
const OPENS = new RegExp(`\\bopen\\b(?! ${MARKS} in\\b)`, 'u');

/** Whether a text has the word `open`, other than for the marks of a grown library. */
export const opensOther = (text: string): boolean => OPENS.test(text);

/** Returns a tactic block at column 0 that runs with the marks of a namespace. */
export function markedProof(proof: string, namespace: string): string {
  return `open ${namespace} in\n${proof}`;
}

/** Returns the namespace that a proof opens first, or null. */
export function marksOpened(proof: string): string | null {
  return MARKED.exec(proof)?.[1] ?? null;
}

export function withoutMarks(proof: string): string {
  return proof.replace(MARKED, '');
}

/** Returns Lean's attribute commands for the marks of theorems, by their full names, one per line. */
export function markLines(theorems: readonly GrownTheorem[], kind: 'scoped' | 'local' = 'scoped'): string[] {
  return theorems.flatMap(({ name, marks }) => marks.map((mark) => `attribute [${kind} ${mark}] ${name}`));
}

interface KeptText {
  readonly header?: string | null;
  readonly statement: string;
  readonly proof: string;
  /** Whether the proof calls its own theorem. Missing: as `callsItself` guesses. */
  readonly isRecursive?: boolean;
}

/**
 * Returns `theorem NAME BINDERS : TYPE := by` and the proof, under another name; universe parameters stay with the
 * name. Both are printed from their tokens, as they were checked, for the namespace given by `namespaceOf`. A recursive
 * proof becomes the proof of `NAME.OWN`, where `OWN` is the name by which it calls its theorem. Throws STP1402 for text
 * that the screen refuses, which was never certified.
 */
export function theoremText(name: string, kept: KeptText): string {
  const { text, ending, own } = readKept(kept);
  const isRecursive = own !== undefined && (kept.isRecursive ?? callsItself(kept));
  const written = isRecursive ? `${name}.${own}` : name;
  const theorem = [`theorem ${written}${signatureOf(kept)} := by`, text, ...(ending === undefined ? [] : [ending])];
  if (isRecursive) theorem.push(`theorem ${name} : type_of% @${written} := @${written}`);
  return theorem.join('\n');
}

/**
 * Whether a kept proof calls its own theorem. This is a guess: a name with a namespace in the proof usually means a
 * library theorem, unless the proof has a termination clause.
 */
export function callsItself(kept: KeptText): boolean {
  const { ending, own } = readKept(kept);
  return own !== undefined && (ending !== undefined || !own.includes('.'));
}

function readKept({ header = null, statement, proof }: KeptText) {
  const stated = readStatement({ header, statement });
  const screened = screenProof(proof, namesBoundIn(header, statement));
  if (!screened.accepted) throw notScreened('proof', screened.refusal.reason, proof);
  const { text, ending } = screened;
  return { text, ending, own: calledName(stated.name, `${text}\n${ending ?? ''}`) };
}

/**
 * Returns the text after the name in a statement: binders and type. Throws STP1402 if the screen refuses the statement.
 */
export function signatureOf(kept: Pick<KeptText, 'header' | 'statement'>): string {
  return readStatement(kept).signature;
}

/** Returns the namespace that a statement's name opens for it. Throws STP1402 if the screen refuses the statement. */
export function namespaceOf(kept: Pick<KeptText, 'header' | 'statement'>): string {
  return readStatement(kept).namespace;
}

function readStatement({ header = null, statement }: Pick<KeptText, 'header' | 'statement'>) {
  const screened = screenStatement(statement, namesBoundIn(header));
  if (!screened.accepted) throw notScreened('statement', screened.refusal.reason, statement);
  return screened;
}

/** Returns the header of a kept proof as it is passed to Lean. Throws STP1402 if the screen refuses the header. */
export function headerOf(header: string | null): string {
  if (header === null) return LIBRARY_HEADER;
  const screened = screenHeader(header);
  if (!screened.accepted) throw notScreened('header', screened.reason, header);
  return screened.text;
}

function notScreened(what: string, reason: string, text: string): StpError {
  return new StpError(
    'STP1402',
    `the ${what} of a kept proof is refused: ${reason}: ${text.slice(0, 200)}`,
    'The record was changed after it was certified: restore it, or start the run again.',
  );
}
