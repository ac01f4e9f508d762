/**
 * Small values at which a statement may fail: some for each binder of a known type, and for each hypothesis a tactic
 * that may prove it at those values. The terms are our own Lean text, and only Lean decides about them.
 */
import type { Binder } from './statement-signature.ts';

/** Stands for the proof of a hypothesis at the values. */
const HYPOTHESIS = '?_';

/** Values of a type in the order in which they are tried: two that are often exceptions, and two that are not. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Nat', ['0', '1', '2', '3']],
  ['Int', ['0', '(-1)', '2', '(-3)']],
  ['Bool', ['false', 'true', 'false', 'true']],
  ['Prop', ['False', 'True', 'False', 'True']],
  ['Char', ["'a'", "'b'", "'a'", "'b'"]],
  ['Unit', ['()', '()', '()', '()']],
]);
/** Stands for a type variable of a statement. `Nat` has decidable equality, an order and arithmetic. */
const TYPE_VALUE = 'Nat';
const TYPES: ReadonlySet<string> = new Set(['Type', 'Type _', 'Type*', 'Sort _', 'Type 0', 'Type u', 'Sort u']);

/**
 * Instances that are tried; each maps a binder's position to the index of its value. The first ones use the same index
 * for all binders, which refutes most false equations. The others use different indices, which refutes false claims
 * about commutativity, orders and truncated subtraction.
 */
const VARIANTS: readonly ((position: number) => number)[] = [
  () => 0,
  () => 1,
  (position) => position + 1,
  (position) => 3 * position + 2,
  (position) => (position === 0 ? 3 : 0),
];
/** Most numerals of the statement that are tried for its first variable, for statements such as `x = 5`. */
const NUMERALS_MAX = 3;
const NUMERAL_TYPES: ReadonlySet<string> = new Set(['Nat', 'Int']);

/** Depth of nested types that are handled: each level asks for two values of the next. */
const NESTING_MAX = 4;

/** Returns the value of the type at an index, with `Nat` for type variables; null for an unknown type. */
function exampleOf(type: string, variant: number, variables: ReadonlySet<string>, nesting = 0): string | null {
  if (nesting > NESTING_MAX) return null;
  const bare = type.replace(/^\((.*)\)$/u, '$1').trim();
  const name = variables.has(bare) ? TYPE_VALUE : bare;
  if (TYPES.has(name)) return TYPE_VALUE;
  const plain = VALUES.get(name);
  if (plain !== undefined) return plain[variant % plain.length]!;
  const [, container, element] = /^(List|Option|Array)\s+(.+)$/u.exec(name) ?? [];
  if (container !== undefined) {
    const inner = (at: number): string | null => exampleOf(element!, at, variables, nesting + 1);
    const [first, second] = [inner(variant), inner(variant + 1)];
    if (first === null || second === null) return null;
    if (container === 'Option') return ['none', `(some ${first})`, `(some ${second})`][variant % 3]!;
    const open = container === 'Array' ? '#[' : '[';
    return [`${open}]`, `${open}${first}]`, `${open}${first}, ${second}]`, `${open}${second}, ${first}, ${second}]`][
      variant % 4
    ]!;
  }
  const [, left, right] = /^([^→×]+)×([^→]+)$/u.exec(name) ?? [];
  if (left !== undefined) {
    const parts = [
      exampleOf(left.trim(), variant, variables, nesting + 1),
      exampleOf(right!.trim(), variant + 1, variables, nesting + 1),
    ];
    return parts.includes(null) ? null : `(${parts.join(', ')})`;
  }
  const domains = name.split('→').map((part) => part.trim());
  return domains.length < 2 ? null : functionOf(domains, variant, variables, nesting);
}

/**
 * Makes a function: a constant at even indices; at odd ones with one argument the identity, or a test for one value.
 */
function functionOf(
  domains: readonly string[],
  variant: number,
  variables: ReadonlySet<string>,
  nesting: number,
): string | null {
  const result = domains.at(-1)!;
  if (domains.length === 2 && variant % 2 === 1) {
    if (domains[0] === result && result !== 'Prop') return '(fun x => x)';
    const tested = exampleOf(domains[0]!, variant - 1, variables, nesting + 1);
    if (tested !== null && result === 'Prop') return `(fun x => x = ${tested})`;
    if (tested !== null && result === 'Bool') return `(fun x => x == ${tested})`;
  }
  const value = exampleOf(result, variant, variables, nesting + 1);
  return value === null
    ? null
    : `(fun ${domains
        .slice(1)
        .map(() => '_')
        .join(' ')} => ${value})`;
}

/** Does a binder of this type take a value, rather than the proof of a hypothesis? */
export function isData(type: string, variables: ReadonlySet<string> = new Set()): boolean {
  return exampleOf(type, 0, variables) !== null;
}

/** Returns the names of binders that are types. */
export function typeVariables(binders: readonly Binder[]): ReadonlySet<string> {
  return new Set(binders.filter((binder) => TYPES.has(binder.type)).flatMap((binder) => binder.names));
}

/**
 * Returns argument lists for `@h`, one for each instance, without repeats. Lean finds instance arguments.
 *
 * @param numerals numbers that occur in the statement, in order
 */
export function instanceArguments(binders: readonly Binder[], numerals: readonly string[] = []): string[] {
  const variables = typeVariables(binders);
  const list = (variantOf: (position: number) => number, first: string | null = null): string => {
    let position = 0;
    return binders
      .flatMap((binder) => {
        if (binder.kind === 'instance') return ['_'];
        return binder.names.map(() => {
          const value = exampleOf(binder.type, variantOf(position), variables);
          if (value === null) return HYPOTHESIS;
          position++;
          return position === 1 && first !== null && NUMERAL_TYPES.has(binder.type) ? first : value;
        });
      })
      .join(' ');
  };
  const tried = [...new Set(numerals)].slice(0, NUMERALS_MAX);
  return [
    ...new Set([...VARIANTS.map((variantOf) => list(variantOf)), ...tried.map((numeral) => list(() => 0, numeral))]),
  ];
}
