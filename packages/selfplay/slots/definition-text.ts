/**
 * Definitions in a prompt: one line each with the slot, the type and the equations, `<f0>:List a→Nat|[]=>0|b::c=><f0>
 * c+1`. Names that a definition binds become letters in order; unnecessary blanks and implicit binders are left out.
 * The text is only read, never parsed back.
 */
import type { ShownDefinition, ShownLemma } from '@stp/config/records';
import { tokenize } from '@stp/lean-text';
import { type SlotTable, slotTable } from './slot-table.ts';
import { toSlots } from './slot-text.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const IMPLICIT_BINDERS = /^(?:\s*(?:\{[^{}]*\}|\[[^[\]]*\]))+/u;
const BINDER_NAMES = /[({]([^:(){}]+):/gu;
const NAME = /^[\p{Ll}\p{Lo}][\p{L}\p{N}_']*$/u;
/** Names in patterns that bind nothing. */
const NOT_BOUND: ReadonlySet<string> = new Set('true false none some nil cons zero succ mk inl inr'.split(' '));

/** Returns lines without equations for the definitions that a statement itself mentions. */
export function signatureLines(definitions: readonly ShownDefinition[]): string[] {
  const table = slotTable('', definitions);
  const mentioned = definitions.filter(({ distance }) => distance === 0);
  return mentioned.flatMap((definition) => lineOf({ ...definition, equations: [] }, table) ?? []);
}

/**
 * Returns the definitions that fit, nearest first, and their lines. A type takes precedence over more distant
 * definitions; equations are shown only if all of a definition's equations fit.
 *
 * @param table slots of the statement that they are shown for
 * @param roomTokens approximate limit on the tokens of the lines
 */
export function definitionLines(
  definitions: readonly ShownDefinition[],
  table: SlotTable,
  roomTokens: number,
): string[] {
  const own = definitionTable(table, definitions);
  const lines: string[] = [];
  let room = roomTokens;
  for (const definition of definitions) {
    const whole = lineOf(definition, own);
    // A type is useless without its constructors.
    const short = definition.kind === 'inductive' ? null : lineOf({ ...definition, equations: [] }, own);
    const line = [whole, short].find((text) => text !== null && tokensOf(text) <= room);
    if (line === undefined || line === null) continue;
    room -= tokensOf(line);
    lines.push(line);
  }
  return lines;
}

/**
 * Returns the lemmas that fit, in order, and their lines: `<l0>:(a:List b):<f0> (<f0> a)=a`, as definitions without
 * equations.
 *
 * @param table slots of the statement that they are shown for, including the lemmas' slots
 */
export function lemmaLines(
  lemmas: readonly ShownLemma[],
  table: SlotTable,
  definitions: readonly ShownDefinition[],
  roomTokens: number,
): { readonly kept: readonly ShownLemma[]; readonly lines: readonly string[] } {
  const own = definitionTable(table, definitions, lemmas);
  let room = roomTokens;
  const shown = lemmas.flatMap((lemma) => {
    const line = lineOf({ ...lemma, equations: [] }, own);
    if (line === null || tokensOf(line) > room) return [];
    room -= tokensOf(line);
    return [{ lemma, line }];
  });
  return { kept: shown.map(({ lemma }) => lemma), lines: shown.map(({ line }) => line) };
}

/** Returns the statement's table without its variables, whose names mean something else in definitions. */
function definitionTable(
  table: SlotTable,
  definitions: readonly ShownDefinition[],
  lemmas: readonly ShownLemma[] = [],
): SlotTable {
  const names = new Set([
    ...definitions.flatMap(({ written, constructors }) => [written, ...constructors]),
    ...lemmas.map(({ written }) => written),
  ]);
  return { ...table, slotOf: new Map([...table.slotOf].filter(([name]) => names.has(name))), functions: [] };
}

type Line = Pick<ShownDefinition, 'written' | 'signature' | 'equations'>;

function lineOf({ written, signature, equations }: Line, table: SlotTable): string | null {
  const slot = table.slotOf.get(written);
  if (slot === undefined) return null;
  const type = signature.replace(IMPLICIT_BINDERS, '').trim();
  const bound = [...signature.matchAll(BINDER_NAMES)].flatMap(([, names]) => names!.trim().split(/\s+/u));
  const texts = [type, ...equations.map((equation) => `|${equation}`)].map((text) => {
    const own = text.includes('=>') ? patternNames(text.slice(0, text.indexOf('=>')), table) : [];
    return toSlots(withLetters(text, [...new Set([...bound, ...own])], table), table);
  });
  if (texts.includes(null)) return null;
  return compact(slot + texts.join(''));
}

/** Returns the names that a pattern binds. */
function patternNames(pattern: string, table: SlotTable): string[] {
  const words = tokenize(pattern).filter(({ kind }) => kind === 'word');
  return words
    .map(({ text }) => text)
    .filter((text) => NAME.test(text) && !NOT_BOUND.has(text) && !table.slotOf.has(text));
}

function withLetters(text: string, names: readonly string[], table: SlotTable): string {
  const letters = new Map(names.map((name, index) => [name, LETTERS[index] ?? name]));
  let out = '';
  let from = 0;
  for (const { kind, text: word, start, end } of tokenize(text)) {
    const [first, ...rest] = word.split('.');
    const letter = kind === 'word' && !table.slotOf.has(word) ? letters.get(first!) : undefined;
    if (letter === undefined) continue;
    out += text.slice(from, start) + [letter, ...rest].join('.');
    from = end;
  }
  return out + text.slice(from);
}

function compact(text: string): string {
  return text.replace(/ ?(=>|→|::|:|\||,|\+|=|≤|<(?![a-z])|&&|×) ?/gu, '$1');
}

/** Estimates the tokenizer's number of tokens: one for each slot, word and symbol. */
function tokensOf(text: string): number {
  return 1 + (text.match(/<[a-z]\d+>|[\p{L}\p{N}_']+|=>|::|[^\s]/gu)?.length ?? 0);
}
