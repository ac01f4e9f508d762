/**
 * The text of a statement and of its proof in every file written for Lean. The screen, the object judge and the files
 * of kept proofs use the same form, so that Lean elaborates the statement the same way everywhere.
 *
 * A statement alone is an axiom. Lean adds section variables to a theorem by other rules than to an axiom: the
 * instances whose types mention only what the statement mentions, and variables that are `include`d. So below variables
 * the statement is also written as a theorem with an open proof: Lean fixes a theorem's binders before it reads the
 * proof. The axiom stays, because only there is a proof within the statement a syntax error.
 *
 * Lean reads `theorem Foo.t …` in the namespace `Foo`, so our name is written there too: `namespace Foo`, `axiom
 * _root_.OURS …`, `end Foo`. Whether Lean reads the statement here as the author wrote it is not assumed:
 * `object/as-written.ts` compares the two.
 */
import { nameParts, type Token, tokenize } from '@stp/lean-text';
import { DEFINITION_OPTIONS } from './header.ts';

/** A statement in the form of `screenStatement`. */
export interface Stated {
  /** All text after the theorem's name. */
  readonly signature: string;
  /** The namespace that the theorem's name opens; empty or missing if none. */
  readonly namespace?: string | undefined;
}

/** A proof laid out by `screenProof`, for a theorem under our name. */
export interface WrittenProof extends Stated {
  readonly proofText: string;
  /** `termination_by` and `decreasing_by`, which follow the tactic block. */
  readonly ending?: string | undefined;
  /** The name by which recursive calls in the proof refer to their theorem. */
  readonly calledAs?: string | undefined;
}

/** Texts before and after a tactic block. */
const EXPLAINED = [[':= (by'], [')']] as const;
const FAILING_FAST = [
  [':= (by first', '| ('],
  [')', '| fail)'],
] as const;

/**
 * Returns lines that declare a statement as the constant `name`, a single identifier, without proving it. `above` is
 * the header or opens in force.
 */
export function statedLines(name: string, { signature, namespace }: Stated, above: string): string[] {
  const axiom = `axiom _root_.${name}${signature}`;
  if (!hasVariables(above)) return inNamespace(namespace, axiom.split('\n'));
  // `#check` fails if Lean silently omits the theorem.
  const open = `axiom _root_.${name}_alone${signature}\ntheorem _root_.${name}${signature}\n:= (by sorry)`;
  return [...inNamespace(namespace, open.split('\n')), `#check @_root_.${name}`];
}

/**
 * Wraps lines of commands in the namespace that a theorem's name opens. Components are quoted, because `theorem at.t`
 * is valid but `namespace at` is not: `at` is a keyword.
 */
export function inNamespace(namespace: string | undefined, lines: readonly string[]): string[] {
  if (namespace === undefined || namespace === '') return [...lines];
  const quoted = nameParts(namespace)
    .map((part) => `«${part}»`)
    .join('.');
  return [`namespace ${quoted}`, ...lines, `end ${quoted}`];
}

/** The name of a proof's theorem, as written and in full. */
export interface ProvedName {
  readonly written: string;
  readonly full: string;
}

/**
 * Returns the name under which a theorem is proved. A recursive proof calls its theorem by the theorem's own name, so
 * that is the last component, below a namespace `name` that contains nothing else. The theorem is written below the
 * header's namespaces: there Lean accepts every form of the call.
 */
export function provedName(
  name: string,
  { calledAs, namespace = '' }: Pick<WrittenProof, 'calledAs' | 'namespace'>,
  header: string,
): ProvedName {
  if (calledAs === undefined) return { written: `_root_.${name}`, full: name };
  const written = `${name}.${calledAs}`;
  const open = [...namespacesOf(header), ...(namespace === '' ? [] : [namespace])];
  return { written, full: [...open, written].join('.') };
}

/** Returns the namespaces that a header leaves open, outermost first. */
export function namespacesOf(header: string): string[] {
  const words = header.includes('namespace') ? codeWords(header).map(({ text }) => text) : [];
  return words.flatMap((word, at) => (words[at - 1] === 'namespace' ? [word] : []));
}

/** Returns the lines of the proof's theorem, and the number of lines above the tactic block. */
export function provedLines(
  { written }: ProvedName,
  proof: WrittenProof,
  isExplained = true,
): { readonly lines: string[]; readonly above: number } {
  const [opening, closing] = isExplained ? EXPLAINED : FAILING_FAST;
  const above = [...`theorem ${written}${proof.signature}`.split('\n'), ...opening];
  const ending = proof.ending === undefined ? [] : proof.ending.split('\n');
  const lines = inNamespace(proof.namespace, [...above, ...proof.proofText.split('\n'), ...closing, ...ending]);
  return { lines, above: lines.indexOf(above[0]!) + above.length };
}

/** Returns the theorem's name if a word of the proof could refer to it. */
export function calledName(name: string, proof: string): string | undefined {
  const last = nameParts(name).at(-1)!;
  if (name.includes('«') || !proof.includes(last)) return undefined;
  return tokenize(proof).some(({ kind, text }) => kind === 'word' && nameParts(text).includes(last)) ? name : undefined;
}

export function hasVariables(above: string): boolean {
  return /\bvariable\b/u.test(above) && codeWords(above).some(({ text }) => text === 'variable');
}

const codeWords = (text: string): Token[] => tokenize(text).filter(({ kind }) => kind === 'word');

const HEARTBEATS = /(?<![\w.])maxHeartbeats\s+(0[xXbBoO][\da-fA-F_]+|\d[\d_]*)/gu;

/**
 * Returns the minimum of `heartbeatsMax` and all limits that a header sets, wherever they apply. In a header, 0 means
 * no limit.
 */
export function heartbeatsOf(header: string, heartbeatsMax: number): number {
  const given = header.replaceAll(DEFINITION_OPTIONS.join('\n'), '').matchAll(HEARTBEATS);
  const bounds = [...given].map(([, number]) => Number(number!.replaceAll('_', ''))).filter((bound) => bound > 0);
  return Math.min(heartbeatsMax, ...bounds);
}

/**
 * Returns the options on automatic binding that the header sets. If the header sets only the first, Lean's default of
 * the second applies. If it sets neither, nothing is bound automatically.
 */
export function implicitLines(header: string): string[] {
  const words = header.includes('utoImplicit') ? codeWords(header).map(({ text }) => text) : [];
  const given = (option: string): string | undefined => words[words.lastIndexOf(option) + 1];
  const automatic = words.includes('autoImplicit') ? given('autoImplicit') : 'false';
  const relaxed = words.includes('relaxedAutoImplicit') ? given('relaxedAutoImplicit') : automatic;
  return [`set_option autoImplicit ${automatic}`, `set_option relaxedAutoImplicit ${relaxed}`];
}
