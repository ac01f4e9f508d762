/** Writes test values as Lean terms, for positions at which Lean knows the type. */
import { displayName } from '@stp/lean-kernel';
import type { Value } from '../explore/evaluator.ts';
import { ELEMENT, type GroundType, instantiateType } from '../explore/ground-type.ts';
import type { SymbolReader } from '../explore/symbol-schemes.ts';

/** A type that replaces the type variables of a statement, and its values by number. */
export interface ElementType {
  readonly type: string;
  readonly value: (number: bigint) => string;
}

const SIGNED: ElementType['value'] = (number) => (number % 2n === 0n ? `${number / 2n}` : `(-${number / 2n + 1n})`);

/** Replacements in the universe `Type`. */
export const SMALL_TYPES: readonly ElementType[] = [
  { type: 'Nat', value: (number) => `${number}` },
  { type: 'Bool', value: (number) => (number % 2n === 0n ? 'false' : 'true') },
  { type: 'Int', value: SIGNED },
];
/** Replacements for a type in any universe. */
export const LIFTED_TYPES: readonly ElementType[] = [
  { type: '(ULift Nat)', value: (number) => `(ULift.up ${number})` },
];

interface Writing {
  readonly reader: SymbolReader;
  /** Returns how the proof writes a constant. */
  readonly written: (full: string) => string;
  readonly element: ElementType;
}

/**
 * `type` is the value's type, with `ELEMENT` for the statement's type variables. Returns null for a constructor that
 * cannot be written.
 */
export function valueText(value: Value, type: GroundType, writing: Writing): string | null {
  const { form } = value;
  if (form.kind === 'function') return `(${form.text})`;
  if (form.kind === 'natural') return type.head === ELEMENT ? writing.element.value(form.value) : `${form.value}`;
  const { reader, written } = writing;
  const types = (reader.scheme(form.name)?.slots ?? []).flatMap((slot) =>
    slot.kind === 'value' ? [instantiateType(slot.type, type.args)] : [],
  );
  const fields = form.fields.map((field, index) => valueText(field, types[index]!, writing));
  if (fields.includes(null)) return null;
  const { names } = reader.terms;
  const name = displayName(names, form.name);
  switch (name) {
    case 'List.nil':
      return '[]';
    case 'List.cons':
      return `[${[fields[0], ...listElements(fields[1]!)].join(', ')}]`;
    case 'Int.ofNat':
      return fields[0]!;
    case 'Int.negSucc':
      return `(-${BigInt(fields[0]!) + 1n})`;
    default:
      return fields.length === 0 ? written(name) : `(${[written(name), ...fields].join(' ')})`;
  }
}

/** Returns the text between a list's brackets as a single element, or none for the empty list. */
const listElements = (list: string): string[] => (list === '[]' ? [] : [list.slice(1, -1)]);
