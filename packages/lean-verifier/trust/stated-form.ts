/**
 * The text of a statement and of a proof of it, in every file that is written for Lean: one form for the screen, the
 * object and the files of kept proofs, so that Lean elaborates the statement the same way everywhere.
 *
 * A statement alone is an axiom. Lean adds the variables of a section to a theorem by other rules than to an axiom (the
 * instances whose types mention only what the statement mentions, and what is `include`d), so below variables the
 * statement is a theorem with an open proof as well: Lean fixes a theorem's binders before it reads the proof. The axiom
 * stays, because a text that gives itself a proof is a syntax error only there.
 *
 * `theorem Foo.t …` is read in the namespace `Foo`, so a name of ours stands there too: `namespace Foo`,
 * `axiom _root_.OURS …`, `end Foo`. Whether Lean reads the statement here as it reads what somebody wrote is not left to
 * this form: `object/as-written.ts` compares the two.
 */
import { nameParts, type Token, tokenize } from '@stp/lean-text';
import { DEFINITION_OPTIONS } from './header.ts';

/** A statement as `screenStatement` gives it. */
export interface Stated {
  /** Everything after the theorem's name. */
  readonly signature: string;
  /** That the theorem's own name opens; empty or missing: it opens none. */
  readonly namespace?: string | undefined;
}

/** A proof as `screenProof` lays it out, for a theorem of ours. */
export interface WrittenProof extends Stated {
  readonly proofText: string;
  /** `termination_by` and `decreasing_by`, which stand behind the tactic block. */
  readonly ending?: string | undefined;
  /** The name that the proof gives its own theorem in recursive calls. */
  readonly calledAs?: string | undefined;
}

/** The texts before and after a tactic block. */
const EXPLAINED = [[':= (by'], [')']] as const;
const FAILING_FAST = [
  [':= (by first', '| ('],
  [')', '| fail)'],
] as const;

/** Lines that make a statement the constant `name`, one plain word, without proving it. `above`: header or opens in force. */
export function statedLines(name: string, { signature, namespace }: Stated, above: string): string[] {
  const axiom = `axiom _root_.${name}${signature}`;
  if (!hasVariables(above)) return inNamespace(namespace, axiom.split('\n'));
  // Lean can leave a theorem out without a word, and says so here.
  const open = `axiom _root_.${name}_alone${signature}\ntheorem _root_.${name}${signature}\n:= (by sorry)`;
  return [...inNamespace(namespace, open.split('\n')), `#check @_root_.${name}`];
}

/**
 * Lines of commands as they stand in the namespace that a theorem's own name opens. Its parts are quoted: `theorem at.t` is one name to
 * Lean, and `namespace at` is none, since `at` is a keyword.
 */
export function inNamespace(namespace: string | undefined, lines: readonly string[]): string[] {
  if (namespace === undefined || namespace === '') return [...lines];
  const quoted = nameParts(namespace)
    .map((part) => `«${part}»`)
    .join('.');
  return [`namespace ${quoted}`, ...lines, `end ${quoted}`];
}

/** The name of a proof's theorem: as it is written, and in full. */
export interface ProvedName {
  readonly written: string;
  readonly full: string;
}

/**
 * A recursive proof calls its theorem by the theorem's own name, so this is the last part, and `name` a namespace of nothing
 * else. It is written below the header's namespaces: there Lean knows every form in which the theorem may be called.
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

/** The namespaces that a header leaves open, outermost first. */
export function namespacesOf(header: string): string[] {
  const words = header.includes('namespace') ? codeWords(header).map(({ text }) => text) : [];
  return words.flatMap((word, at) => (words[at - 1] === 'namespace' ? [word] : []));
}

/** Lines of the proof's theorem, and how many of them stand above the tactic block. */
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

/** The theorem's name, if the proof has a word that could mean it. */
export function calledName(name: string, proof: string): string | undefined {
  const last = nameParts(name).at(-1)!;
  if (name.includes('«') || !proof.includes(last)) return undefined;
  return tokenize(proof).some(({ kind, text }) => kind === 'word' && nameParts(text).includes(last)) ? name : undefined;
}

/** Does a header bring variables along? */
export function hasVariables(above: string): boolean {
  return /\bvariable\b/u.test(above) && codeWords(above).some(({ text }) => text === 'variable');
}

const codeWords = (text: string): Token[] => tokenize(text).filter(({ kind }) => kind === 'word');

const HEARTBEATS = /(?<![\w.])maxHeartbeats\s+(0[xXbBoO][\da-fA-F_]+|\d[\d_]*)/gu;

/** The smallest of a bound of heartbeats and of all that a header sets, wherever they hold; 0 there means that it sets none. */
export function heartbeatsOf(header: string, heartbeatsMax: number): number {
  const given = header.replaceAll(DEFINITION_OPTIONS.join('\n'), '').matchAll(HEARTBEATS);
  const bounds = [...given].map(([, number]) => Number(number!.replaceAll('_', ''))).filter((bound) => bound > 0);
  return Math.min(heartbeatsMax, ...bounds);
}

/**
 * Options for the binding of variables that a text does not bind: as the header sets them. Lean's own default of the second
 * holds where a header sets the first; a header that sets neither binds none.
 */
export function implicitLines(header: string): string[] {
  const words = header.includes('utoImplicit') ? codeWords(header).map(({ text }) => text) : [];
  const given = (option: string): string | undefined => words[words.lastIndexOf(option) + 1];
  const automatic = words.includes('autoImplicit') ? given('autoImplicit') : 'false';
  const relaxed = words.includes('relaxedAutoImplicit') ? given('relaxedAutoImplicit') : automatic;
  return [`set_option autoImplicit ${automatic}`, `set_option relaxedAutoImplicit ${relaxed}`];
}
