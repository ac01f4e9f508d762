/**
 * The declarations that a text writes down, found by its tokens, and what a compiled module holds beside them. A process
 * that was taken over while it compiled the text can write any module. Whatever a kernel says of it: an inductive type,
 * an axiom, an opaque constant or a definition without a declaration in the text speaks against the module.
 */
import { type CheckedConstant, isDerivedPart, type ModuleReport } from '@stp/lean-kernel';
import { nameParts, type Token, tokenize } from '@stp/lean-text';
import { SYNTAX } from './written-notation.ts';

/** Words that declare, by the kinds of constants that they make. */
const INDUCTIVE: ReadonlySet<string> = new Set(['inductive', 'structure', 'class', 'coinductive']);
const OTHERS: ReadonlySet<string> = new Set(
  'def abbrev theorem lemma instance opaque axiom constant irreducible_def alias'.split(' '),
);
/** These may stand between the word and the name: `class inductive`, `class abbrev`. */
const SECOND: ReadonlySet<string> = new Set(['inductive', 'abbrev']);

/** Constants that Lean makes for an inductive type as inductive types of their own. */
const OF_INDUCTIVE = /^(?:below(?:_\d+)?|_functor)$/;
/** Names that Lean gives to instances without a name, and to what a deriving clause makes. */
const AUTOMATIC_INSTANCE = /^inst/;
/** Names that Lean gives to parsers, macros and hints of unification. */
const AUTOMATIC_SYNTAX = /^(?:_aux|term|tactic|command|prec|prio|stx|attr|conv|hint|_unexpand)/;
/** Modules that come with Lean. Commands of others may declare under names that stand nowhere (`@[to_additive]`). */
const TOOLCHAIN = /^(?:Init|Std|Lean|Lake)(?:\.|$)/;

/** Last parts of declared names. */
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
  /** Last part of its name; null for an instance without one. */
  readonly name: string | null;
  /** Start of the word. */
  readonly start: number;
}

/** Words that are a declaration's wherever they stand outside the brackets of attributes. */
const DECLARING: ReadonlySet<string> = new Set([
  ...INDUCTIVE,
  ...'def abbrev theorem lemma instance opaque axiom'.split(' '),
]);

/** Reads the name that each declaring word of the text declares. `tokens`: without comments. */
export function writtenDeclarations(tokens: readonly Token[]): WrittenDeclaration[] {
  const found: WrittenDeclaration[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const { kind, text: word, start } = tokens[index]!;
    if (tokens[index + 1]?.text === '[' && (word === '@' || word === 'attribute')) {
      index = closingBracket(tokens, index + 1);
      continue;
    }
    // `deriving instance C for T` and `class inductive T`.
    const before = tokens[index - 1]?.text ?? '';
    const isSecond = before === 'deriving' || (before === 'class' && SECOND.has(word));
    if (kind !== 'word' || !DECLARING.has(word) || isSecond) continue;
    const name = tokens[nameAt(tokens, index + 1)];
    found.push({ word, name: name?.kind === 'word' ? (nameParts(name.text).at(-1) ?? null) : null, start });
  }
  return found;
}

/** Place of the `]` for the `[` at `open`, or the end. */
function closingBracket(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]!.text === '[') depth += 1;
    if (tokens[at]!.text === ']') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Where the name stands behind a declaring word, whose end is at `index`: behind a second word or a priority. */
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

/** The first constant of the module that the text does not declare, in words, or null. `allTokens`: of the text. */
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

/** Tells parts of names that a text has, or that Lean makes, from others. */
export function writtenIn(text: string): (part: string) => boolean {
  const words = new Set(tokenize(text).flatMap((token) => (token.kind === 'word' ? nameParts(token.text) : [])));
  return (part) => words.has(part) || /^(?:_|\d+$)/.test(part) || isDerivedPart(part);
}

export function article(kind: CheckedConstant['kind']): string {
  return kind === 'axiom' || kind === 'opaque' || kind === 'inductive' ? `an ${kind} constant` : `a ${kind}`;
}
