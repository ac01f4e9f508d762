/**
 * Small values at which a statement may fail: a few for each binder of a known type, and for each hypothesis a tactic
 * that may prove it at those values. The terms are Lean text of our own; nothing here decides anything, Lean does.
 */
import type { Binder } from './statement-signature.ts';

/** Stands for the proof of a hypothesis, to be found at the values. */
const HYPOTHESIS = '?_';

/** Values of a type by the position they are tried in: two that are often exceptions, and two that are not. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Nat', ['0', '1', '2', '3']],
  ['Int', ['0', '(-1)', '2', '(-3)']],
  ['Bool', ['false', 'true', 'false', 'true']],
  ['Prop', ['False', 'True', 'False', 'True']],
  ['Char', ["'a'", "'b'", "'a'", "'b'"]],
  ['Unit', ['()', '()', '()', '()']],
]);
/** Stands for a type that a statement is about. `Nat` has decidable equality, an order and arithmetic. */
const TYPE_VALUE = 'Nat';
const TYPES: ReadonlySet<string> = new Set(['Type', 'Type _', 'Type*', 'Sort _', 'Type 0', 'Type u', 'Sort u']);

/**
 * Instances that are tried, as the place of a binder's value by the binder's position: first the same for all, where most
 * false equations fail, then different ones, where commutativity, orders and truncated subtraction do.
 */
const PLACES: readonly ((position: number) => number)[] = [
  () => 0,
  () => 1,
  (position) => position + 1,
  (position) => 3 * position + 2,
  (position) => (position === 0 ? 3 : 0),
];
/** Numbers of the statement itself that are tried for its first variable, where `x = 5` asks for one. */
const NUMERALS_MAX = 3;
const NUMERAL_TYPES: ReadonlySet<string> = new Set(['Nat', 'Int']);

/** Types within types are looked into this deep: each level asks for two values of the next. */
const NESTING_MAX = 4;

/** Value of the type at a place, with type variables standing for `Nat`; null where the type is not known here. */
function exampleOf(type: string, place: number, variables: ReadonlySet<string>, nesting = 0): string | null {
  if (nesting > NESTING_MAX) return null;
  const bare = type.replace(/^\((.*)\)$/u, '$1').trim();
  const name = variables.has(bare) ? TYPE_VALUE : bare;
  if (TYPES.has(name)) return TYPE_VALUE;
  const plain = VALUES.get(name);
  if (plain !== undefined) return plain[place % plain.length]!;
  const [, container, element] = /^(List|Option|Array)\s+(.+)$/u.exec(name) ?? [];
  if (container !== undefined) {
    const inner = (at: number): string | null => exampleOf(element!, at, variables, nesting + 1);
    const [first, second] = [inner(place), inner(place + 1)];
    if (first === null || second === null) return null;
    if (container === 'Option') return ['none', `(some ${first})`, `(some ${second})`][place % 3]!;
    const open = container === 'Array' ? '#[' : '[';
    return [`${open}]`, `${open}${first}]`, `${open}${first}, ${second}]`, `${open}${second}, ${first}, ${second}]`][
      place % 4
    ]!;
  }
  const [, left, right] = /^([^→×]+)×([^→]+)$/u.exec(name) ?? [];
  if (left !== undefined) {
    const parts = [
      exampleOf(left.trim(), place, variables, nesting + 1),
      exampleOf(right!.trim(), place + 1, variables, nesting + 1),
    ];
    return parts.includes(null) ? null : `(${parts.join(', ')})`;
  }
  const domains = name.split('→').map((part) => part.trim());
  return domains.length < 2 ? null : functionOf(domains, place, variables, nesting);
}

/** Makes a function: a constant at even places; at odd ones of one argument the identity, or a test for one value. */
function functionOf(
  domains: readonly string[],
  place: number,
  variables: ReadonlySet<string>,
  nesting: number,
): string | null {
  const result = domains.at(-1)!;
  if (domains.length === 2 && place % 2 === 1) {
    if (domains[0] === result && result !== 'Prop') return '(fun x => x)';
    const tested = exampleOf(domains[0]!, place - 1, variables, nesting + 1);
    if (tested !== null && result === 'Prop') return `(fun x => x = ${tested})`;
    if (tested !== null && result === 'Bool') return `(fun x => x == ${tested})`;
  }
  const value = exampleOf(result, place, variables, nesting + 1);
  return value === null
    ? null
    : `(fun ${domains
        .slice(1)
        .map(() => '_')
        .join(' ')} => ${value})`;
}

/** Is a binder of this type a thing to choose a value for, rather than a hypothesis? */
export function isData(type: string, variables: ReadonlySet<string> = new Set()): boolean {
  return exampleOf(type, 0, variables) !== null;
}

/** Names of binders that are types themselves. */
export function typeVariables(binders: readonly Binder[]): ReadonlySet<string> {
  return new Set(binders.filter((binder) => TYPES.has(binder.type)).flatMap((binder) => binder.names));
}

/**
 * Argument lists for `@h`, one an instance, without repeats. Instance arguments are left to Lean.
 *
 * @param numerals numbers that stand in the statement, in order
 */
export function instanceArguments(binders: readonly Binder[], numerals: readonly string[] = []): string[] {
  const variables = typeVariables(binders);
  const list = (placeOf: (position: number) => number, first: string | null = null): string => {
    let position = 0;
    return binders
      .flatMap((binder) => {
        if (binder.kind === 'instance') return ['_'];
        return binder.names.map(() => {
          const value = exampleOf(binder.type, placeOf(position), variables);
          if (value === null) return HYPOTHESIS;
          position++;
          return position === 1 && first !== null && NUMERAL_TYPES.has(binder.type) ? first : value;
        });
      })
      .join(' ');
  };
  const tried = [...new Set(numerals)].slice(0, NUMERALS_MAX);
  return [...new Set([...PLACES.map((placeOf) => list(placeOf)), ...tried.map((numeral) => list(() => 0, numeral))])];
}
