/** The text of a certified and kept theorem, printed anew from the screen's reading, exactly as it was checked. */
import { StpError } from '@stp/base';
import { LIBRARY_HEADER } from './header.ts';
import { namesBoundIn } from './screen/local-names.ts';
import { screenHeader } from './screen/screen-header.ts';
import { screenProof } from './screen/screen-proof.ts';
import { screenStatement } from './screen/screen-statement.ts';
import { calledName } from './stated-form.ts';

export const GROWN_NAMESPACE = 'Grown';

/**
 * Marks of a grown theorem, so that `simp` and `grind` use it without its name: an equation as a rewrite rule, and for `grind`
 * with its left side as the pattern.
 */
export const LEMMA_MARKS = ['simp', 'grind ='] as const;
export type LemmaMark = (typeof LEMMA_MARKS)[number];

export interface GrownTheorem {
  /** Fully qualified, `Grown.g17`. */
  readonly name: string;
  /** Which growth of the library added it. */
  readonly generation: number;
  readonly header: string | null;
  /** `theorem ANYTHING BINDERS : TYPE`, screened. */
  readonly statement: string;
  /** Tactic block, certified. */
  readonly proof: string;
  /** The marks that Lean accepts for it. */
  readonly marks: readonly LemmaMark[];
}

/**
 * The namespace that marks a grown theorem and all earlier ones of its header while it is open: `Grown.marked17` for
 * `Grown.g17`. Marks are scoped, so a proof that does not open it is checked as before.
 */
export function markedNamespace(name: string): string {
  return `${GROWN_NAMESPACE}.marked${name.slice(GROWN_NAMESPACE.length + 2)}`;
}

/** Grown theorems among constants; what Lean has made for one (`Grown.g17._simp_1`) counts as that one. */
export function grownAmong(constants: readonly string[]): string[] {
  return [...new Set(constants.flatMap((name) => OF_GROWN.exec(name)?.[0] ?? []))];
}

const OF_GROWN = new RegExp(`^${GROWN_NAMESPACE}\\.g[1-9]\\d*(?![^.])`, 'u');

const MARKED = new RegExp(`^open (${GROWN_NAMESPACE}\\.marked[1-9]\\d*) in\\n`, 'u');

/** A tactic block at column 0 that runs with the marks of a namespace. */
export function markedProof(proof: string, namespace: string): string {
  return `open ${namespace} in\n${proof}`;
}

/** The namespace that a proof opens first; null: none. */
export function marksOpened(proof: string): string | null {
  return MARKED.exec(proof)?.[1] ?? null;
}

export function withoutMarks(proof: string): string {
  return proof.replace(MARKED, '');
}

/** Lean's commands for the marks of theorems, by their full names. One line each. */
export function markLines(theorems: readonly GrownTheorem[], kind: 'scoped' | 'local' = 'scoped'): string[] {
  return theorems.flatMap(({ name, marks }) => marks.map((mark) => `attribute [${kind} ${mark}] ${name}`));
}

interface KeptText {
  readonly header?: string | null;
  readonly statement: string;
  readonly proof: string;
  /** Does the proof call its own theorem? Missing: as `callsItself` guesses. */
  readonly isRecursive?: boolean;
}

/**
 * `theorem NAME BINDERS : TYPE := by` and the proof, under another name; universe parameters stay with it. Both are printed
 * from their tokens, as they were when they were checked, for the namespace that `namespaceOf` says. A recursive proof is that of `NAME.OWN`, with the name by which it
 * calls its theorem. STP1402 for what the screen refuses: none such was ever certified.
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
 * Does a kept proof call its own theorem? A name with a namespace that the proof mentions is more often a fact of a library,
 * unless the proof says how it ends.
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

/** Returns the text after the name in a statement: binders and type. STP1402 for a statement that the screen refuses. */
export function signatureOf(kept: Pick<KeptText, 'header' | 'statement'>): string {
  return readStatement(kept).signature;
}

/** Returns the namespace that a statement's name opens for it. STP1402 for a statement that the screen refuses. */
export function namespaceOf(kept: Pick<KeptText, 'header' | 'statement'>): string {
  return readStatement(kept).namespace;
}

function readStatement({ header = null, statement }: Pick<KeptText, 'header' | 'statement'>) {
  const screened = screenStatement(statement, namesBoundIn(header));
  if (!screened.accepted) throw notScreened('statement', screened.refusal.reason, statement);
  return screened;
}

/** The header of a kept proof as Lean gets it. STP1402 for a header that the screen refuses. */
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
