/** Functions of Lean's core library that may equal other functions, and how library theorems write them. */
import type { CompiledLibrary, Expr, Name, Terms } from '@stp/lean-kernel';
import { mentionsInOrder } from '../context/mentions.ts';

type Written = (...parts: readonly string[]) => string;

const infix =
  (operator: string): Written =>
  (one, other) =>
    `${one} ${operator} ${other}`;
const decided =
  (operator: string): Written =>
  (one, other) =>
    `decide (${one} ${operator} ${other})`;

/**
 * Constants of `Init` with first-order types, each with the notation that library theorems use; null: its name. The
 * first one that equals a function is used.
 */
export const CORE_FUNCTIONS: ReadonlyMap<string, Written | null> = new Map<string, Written | null>([
  ['Nat.add', infix('+')],
  ['Nat.sub', infix('-')],
  ['Nat.mul', infix('*')],
  ['Nat.div', infix('/')],
  ['Nat.mod', infix('%')],
  ['Nat.pow', infix('^')],
  ['Nat.min', (one, other) => `min ${one} ${other}`],
  ['Nat.max', (one, other) => `max ${one} ${other}`],
  ['Nat.beq', decided('=')],
  ['Nat.ble', decided('≤')],
  ['Nat.blt', decided('<')],
  ['Nat.pred', (one) => `${one} - 1`],
  ['Nat.gcd', null],
  ['Bool.and', infix('&&')],
  ['Bool.or', infix('||')],
  ['Bool.not', (one) => `!${one}`],
  ['List.append', infix('++')],
  ['List.length', null],
  ['List.reverse', null],
  ['List.take', null],
  ['List.drop', null],
  ['List.dropLast', null],
  ['List.tail', null],
  ['List.zip', null],
  ['List.map', null],
  ['List.filter', null],
  ['List.takeWhile', null],
  ['List.dropWhile', null],
  ['List.flatten', null],
  ['List.flatMap', null],
  ['List.replicate', null],
  ['List.isEmpty', null],
  ['List.elem', null],
  ['List.count', null],
  ['List.erase', null],
  ['List.isPrefixOf', null],
  ['List.all', null],
  ['List.any', null],
]);

/** Returns the notation for an application of the constant; undefined if its name is written. */
export const coreNotation = (name: string): Written | undefined => CORE_FUNCTIONS.get(name) ?? undefined;

/** Matches instances, which name functions (`List.instAppend`, `List.append`) and may refer to other instances. */
const INSTANCE = /^inst/u;
const INSTANCES_DEEP = 4;

/** Returns the listed functions that a statement's type mentions, directly or through instances, in order. */
export function coreFunctionsIn(terms: Terms, library: CompiledLibrary, type: Expr): Name[] {
  const found = new Set<Name>();
  const passed = new Set<Name>();
  let next = mentionsInOrder(terms, [type]);
  for (let deep = 0; next.length > 0 && deep <= INSTANCES_DEEP; deep++) {
    const instances: Name[] = [];
    for (const name of next) {
      if (passed.has(name)) continue;
      passed.add(name);
      if (CORE_FUNCTIONS.has(terms.names.print(name))) found.add(name);
      else if (INSTANCE.test(String(terms.names.last(name))) && library.has(name))
        instances.push(...library.mentioned(name));
    }
    next = instances;
  }
  return [...found];
}
