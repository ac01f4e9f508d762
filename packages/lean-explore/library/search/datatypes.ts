/**
 * The data types of library theorems, as tactic scripts need them: their constructors, which arguments are recursive,
 * and how a script names the arguments.
 */
import type { Binder } from './theorem-signature.ts';

interface Constructor {
  readonly name: string;
  /** Names for the arguments. One that starts with `*` is recursive and gives an induction hypothesis. */
  readonly arguments: readonly string[];
}

/**
 * Constructors by the first word of their type (`×` for pairs). The argument names `$` and `$1` are derived from the
 * variable's name.
 */
const DATA_TYPES: Readonly<Record<string, readonly Constructor[]>> = {
  Nat: [
    { name: 'zero', arguments: [] },
    { name: 'succ', arguments: ['*$'] },
  ],
  List: [
    { name: 'nil', arguments: [] },
    { name: 'cons', arguments: ['$1', '*$'] },
  ],
  Bool: [
    { name: 'true', arguments: [] },
    { name: 'false', arguments: [] },
  ],
  Option: [
    { name: 'none', arguments: [] },
    { name: 'some', arguments: ['a'] },
  ],
  Tree: [
    { name: 'leaf', arguments: [] },
    { name: 'node', arguments: ['*l', 'x', '*r'] },
  ],
  Expr: [
    { name: 'num', arguments: ['n'] },
    { name: 'plus', arguments: ['*a', '*b'] },
    { name: 'times', arguments: ['*a', '*b'] },
  ],
  '×': [{ name: 'mk', arguments: ['a', 'b'] }],
};

interface Alternative {
  /** Pattern, such as `cons x xs`. */
  readonly pattern: string;
  /** `ih`, or `ihl` and `ihr` if there are several. */
  readonly hypotheses: readonly string[];
}

/** A variable that a script can split. */
export interface DataVariable {
  readonly name: string;
  readonly alternatives: readonly Alternative[];
  /** Whether a constructor has a recursive argument. */
  readonly isRecursive: boolean;
}

export function dataVariables(binders: readonly Binder[]): readonly DataVariable[] {
  const taken = new Set(binders.map(({ name }) => name));
  return binders.flatMap(({ name, type }) => {
    const isPair = /^\S+ × \S+$/.test(type);
    const constructors = DATA_TYPES[isPair ? '×' : (type.split(' ')[0] ?? '')];
    if (constructors === undefined || type.includes('→') || type.includes('=')) return [];
    const alternatives = constructors.map((each) => alternativeOf(each, name, taken));
    return [{ name, alternatives, isRecursive: alternatives.some(({ hypotheses }) => hypotheses.length > 0) }];
  });
}

function alternativeOf(from: Constructor, variable: string, taken: ReadonlySet<string>): Alternative {
  const names: string[] = [];
  for (const argument of from.arguments) {
    names.push(argumentName(argument.replace('*', ''), variable, new Set([...taken, ...names])));
  }
  const recursive = names.filter((_, index) => from.arguments[index]!.startsWith('*'));
  return {
    pattern: [from.name, ...names].join(' '),
    hypotheses: recursive.length === 1 ? ['ih'] : recursive.map((name) => `ih${name}`),
  };
}

function argumentName(wish: string, variable: string, taken: ReadonlySet<string>): string {
  if (wish === '$') return variable;
  const name = wish === '$1' ? elementName(variable) : wish;
  return taken.has(name) ? firstFree(taken) : name;
}

/** Returns a name for the elements of a list: `x` for `xs`. */
function elementName(list: string): string {
  return list.length > 1 && list.endsWith('s') ? list.slice(0, -1) : 'x';
}

function firstFree(taken: ReadonlySet<string>): string {
  return ['x', 'y', 'z', 'w', 'k', 'u', 'v'].find((name) => !taken.has(name)) ?? 'x1';
}
