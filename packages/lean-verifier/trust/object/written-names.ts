/**
 * Compares the declarations that a text contains, found by its tokens, with the constants of a compiled module. A
 * process that was taken over while it compiled the text can write any module. Whatever a kernel says, an inductive
 * type, axiom, opaque constant or definition that the text does not declare is an objection to the module.
 */
import { type CheckedConstant, isDerivedPart, type ModuleReport } from '@stp/lean-kernel';
import { nameParts, type Token, tokenize } from '@stp/lean-text';
import { SYNTAX } from './written-notation.ts';

/** Declaring keywords, by the kind of constant that they make. */
const INDUCTIVE: ReadonlySet<string> = new Set(['inductive', 'structure', 'class', 'coinductive']);
const OTHERS: ReadonlySet<string> = new Set(
  'def abbrev theorem lemma instance opaque axiom constant irreducible_def alias'.split(' '),
);
/** Words that may stand between the keyword and the name: `class inductive`, `class abbrev`. */
const SECOND: ReadonlySet<string> = new Set(['inductive', 'abbrev']);

/** Auxiliary inductive types that Lean makes for an inductive type. */
const OF_INDUCTIVE = /^(?:below(?:_\d+)?|_functor)$/;
/** Names that Lean gives to anonymous instances, and to the results of a `deriving` clause. */
const AUTOMATIC_INSTANCE = /^inst/;
/** Names that Lean gives to parsers, macros and unification hints. */
const AUTOMATIC_SYNTAX = /^(?:_aux|term|tactic|command|prec|prio|stx|attr|conv|hint|_unexpand)/;
/**
 * Modules that come with Lean. Commands of other modules may declare names that the text does not contain
 * (`@[to_additive]`).
 */
const TOOLCHAIN = /^(?:Init|Std|Lean|Lake)(?:\.|$)/;

/** Last components of declared names. */
interface WrittenNames {
  readonly inductive: ReadonlySet<string>;
  readonly axioms: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  readonly hasUnnamed: boolean;
  readonly hasSyntax: boolean;
}

function writtenNames(tokens: readonly Token[]): WrittenNames {
  const inductive = new Set<string>();
  const axioms = new Set<string>();
  const all = new Set<string>();
  let hasUnnamed = false;
  for (const [index, { text, kind }] of tokens.entries()) {
    if (kind !== 'word') continue;
    const makesInductive = INDUCTIVE.has(text);
    if (text === 'deriving' || text === 'instance') hasUnnamed = true;
    if (!makesInductive && !OTHERS.has(text)) continue;
    const name = tokens[nameAt(tokens, index + 1)];
    if (name?.kind !== 'word') continue;
    const last = nameParts(name.text).at(-1)!;
    all.add(last);
    if (makesInductive) inductive.add(last);
    if (text === 'axiom') axioms.add(last);
  }
  return { inductive, axioms, all, hasUnnamed, hasSyntax: tokens.some(({ text }) => SYNTAX.has(text)) };
}

interface WrittenDeclaration {
  readonly word: string;
  /** Last component of its name; null for an anonymous instance. */
  readonly name: string | null;
  /** Offset of the keyword. */
  readonly start: number;
}

/** Words that begin a declaration wherever they stand outside the brackets of attributes. */
const DECLARING: ReadonlySet<string> = new Set([
  ...INDUCTIVE,
  ...'def abbrev theorem lemma instance opaque axiom'.split(' '),
]);

/** Returns the name that each declaring keyword of the text declares. `tokens` must not contain comments. */
export function writtenDeclarations(tokens: readonly Token[]): WrittenDeclaration[] {
  const found: WrittenDeclaration[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const { kind, text: word, start } = tokens[index]!;
    if (tokens[index + 1]?.text === '[' && (word === '@' || word === 'attribute')) {
      index = closingBracket(tokens, index + 1);
      continue;
    }
    // Skip `deriving instance C for T` and the second word of `class inductive T`.
    const before = tokens[index - 1]?.text ?? '';
    const isSecond = before === 'deriving' || (before === 'class' && SECOND.has(word));
    if (kind !== 'word' || !DECLARING.has(word) || isSecond) continue;
    const name = tokens[nameAt(tokens, index + 1)];
    found.push({ word, name: name?.kind === 'word' ? (nameParts(name.text).at(-1) ?? null) : null, start });
  }
  return found;
}

/** Returns the index of the `]` for the `[` at `open`, or the end. */
function closingBracket(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]!.text === '[') depth += 1;
    if (tokens[at]!.text === ']') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/**
 * Returns the index of the name after a declaring keyword that ends at `index`; a second word or a priority may stand
 * between.
 */
function nameAt(tokens: readonly Token[], index: number): number {
  const { kind, text } = tokens[index] ?? { kind: 'symbol', text: '' };
  if (kind === 'word' && SECOND.has(text)) return index + 1;
  if (text !== '(' || tokens[index + 1]?.text !== 'priority') return index;
  let at = index;
  for (let depth = 0; at < tokens.length; at += 1) {
    if (tokens[at]!.text === '(') depth += 1;
    if (tokens[at]!.text === ')') depth -= 1;
    if (depth === 0) break;
  }
  return at + 1;
}

/**
 * Describes the first constant of the module that the text does not declare, or returns null. `allTokens` are those of
 * the text.
 */
export function undeclared(report: ModuleReport, allTokens: readonly Token[]): string | null {
  const written = writtenNames(allTokens.filter(({ kind }) => kind !== 'comment'));
  const isLenient = !report.imports.every((name) => TOOLCHAIN.test(name));
  for (const constant of report.constants) {
    if (!isDeclared(constant, written, isLenient))
      return `holds ${article(constant.kind)} that its text does not declare: ${constant.name}`;
    if (constant.kind === 'inductive' && !constant.hasLiteralSort)
      return `holds an inductive type whose sort is not written as one: ${constant.name}`;
  }
  return null;
}

function isDeclared(
  { name, kind, madeFor, safety }: CheckedConstant,
  written: WrittenNames,
  isLenient: boolean,
): boolean {
  const parts = nameParts(name);
  const last = parts.at(-1)!;
  const isOwned = parts.some(
    (part) =>
      written.all.has(part) ||
      (written.hasUnnamed && AUTOMATIC_INSTANCE.test(part)) ||
      (written.hasSyntax && AUTOMATIC_SYNTAX.test(part)),
  );
  switch (kind) {
    case 'inductive':
      return written.inductive.has(last) || (OF_INDUCTIVE.test(last) && written.inductive.has(parts.at(-2) ?? ''));
    case 'axiom':
      return written.axioms.has(last);
    case 'quotient':
      return false;
    case 'opaque':
      return isOwned;
    case 'definition':
      return isOwned || madeFor === 'imported' || (isLenient && safety === 'safe');
    case 'theorem':
    case 'constructor':
    case 'recursor':
      return true;
  }
}

/** Returns a function that recognises name components that the text contains or that Lean makes. */
export function writtenIn(text: string): (part: string) => boolean {
  const words = new Set(tokenize(text).flatMap((token) => (token.kind === 'word' ? nameParts(token.text) : [])));
  return (part) => words.has(part) || /^(?:_|\d+$)/.test(part) || isDerivedPart(part);
}

export function article(kind: CheckedConstant['kind']): string {
  return kind === 'axiom' || kind === 'opaque' || kind === 'inductive' ? `an ${kind} constant` : `a ${kind}`;
}
