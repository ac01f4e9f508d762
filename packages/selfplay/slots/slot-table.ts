/**
 * The bijection between slots and names in the texts of one statement, made from its binders and the definitions that
 * it depends on. It knows only written names: two things with one name share its slot.
 */

import type { ShownDefinition, ShownLemma } from '@stp/config/records';
import { type SlotRole, slotToken } from '@stp/config/words';
import { type Binder, readSignature } from '../statement-signature.ts';

export interface SlotTable {
  readonly slotOf: ReadonlyMap<string, string>;
  readonly nameOf: ReadonlyMap<string, string>;
  /** Short names of definitions, by full name. */
  readonly writtenOf: ReadonlyMap<string, string>;
  /** Functions with a slot, in the order of their slots. */
  readonly functions: readonly string[];
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_'!?₀-₉]*$/u;
/** Matches symbols that occur in propositions and in no type of data. */
export const PROPOSITION = /[=≤<≥>∧∨≠¬∣∀∃↔∈]/u;
const NUMBER = /^(?:Nat|Int)$/u;
const LIST = /^List\b/u;
export const UNIVERSE = /^(?:Type|Sort)\b/u;
/** Constructors written like those of core Lean's types, which every model knows. */
const CORE_CONSTRUCTORS: ReadonlySet<string> = new Set('zero succ nil cons none some true false mk inl inr'.split(' '));

/** Returns the names of a statement's binders that a slot can replace. */
export function boundNames(statement: string): ReadonlySet<string> {
  return new Set(namesOf(readSignature(statement)?.binders ?? []).map(({ name }) => name));
}

/** @param definitions those with a slot, nearest first */
export function slotTable(statement: string, definitions: readonly ShownDefinition[]): SlotTable {
  return binderTable(readSignature(statement)?.binders ?? [], definitions);
}

/** Makes a table like `slotTable`, from parsed binders of a statement or hypotheses of a goal. */
export function binderTable(
  binders: readonly Binder[],
  definitions: readonly ShownDefinition[],
  lemmas: readonly ShownLemma[] = [],
): SlotTable {
  const table = new TableBuilder();
  for (const { name, role } of namesOf(binders)) table.add(role, name);
  const functions = definitions
    .filter(({ kind }) => kind === 'function')
    .filter(({ written }) => table.add('f', written))
    .map(({ written }) => written);
  const types = definitions.filter(({ kind }) => kind === 'inductive');
  for (const { written } of types) table.add('d', written);
  for (const name of types.flatMap(({ constructors }) => constructors))
    if (!CORE_CONSTRUCTORS.has(name)) table.add('c', name);
  for (const { written } of lemmas) table.add('l', written);
  const shortened = [...definitions, ...lemmas].filter(({ name, written }) => name !== written);
  return {
    slotOf: table.slotOf,
    nameOf: new Map([...table.slotOf].map(([name, slot]) => [slot, name])),
    writtenOf: new Map(shortened.map(({ name, written }) => [name, written])),
    functions,
  };
}

class TableBuilder {
  readonly slotOf = new Map<string, string>();
  readonly #taken = new Map<SlotRole, number>();

  /** Returns false if the name has a slot already or no slot is left. */
  add(role: SlotRole, name: string): boolean {
    if (this.slotOf.has(name)) return false;
    const index = this.#taken.get(role) ?? 0;
    const slot = slotToken(role, index);
    if (slot === null) return false;
    this.#taken.set(role, index + 1);
    this.slotOf.set(name, slot);
    return true;
  }
}

function namesOf(binders: readonly Binder[]): { name: string; role: SlotRole }[] {
  return binders.flatMap((binder) => {
    const role = roleOf(binder);
    return binder.names.filter((name) => name !== '_' && PLAIN_NAME.test(name)).map((name) => ({ name, role }));
  });
}

function roleOf({ kind, type }: Binder): SlotRole {
  if (kind === 'instance' || UNIVERSE.test(type)) return 't';
  if (PROPOSITION.test(type)) return 'h';
  if (type.includes('→')) return 'g';
  if (NUMBER.test(type)) return 'n';
  return LIST.test(type) ? 's' : 'x';
}
