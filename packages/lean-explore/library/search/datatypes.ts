/**
 * The data types of library theorems, as tactic scripts need them: their constructors, which arguments of these have
 * the type itself, and how a script names those arguments.
 */
import type { Binder } from './signature.ts';

interface Constructor {
  readonly name: string;
  /** Names for the arguments; one that starts with `*` is of the type itself and brings an induction hypothesis. */
  readonly arguments: readonly string[];
}

/** Constructors, under the first word of their type (`×` for pairs). The argument names `$` and `$1` are made from the variable's name. */
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
  /** `cons x xs`. */
  readonly pattern: string;
  /** `ih`, or `ihl` and `ihr` where there are several. */
  readonly hypotheses: readonly string[];
}

/** A variable that can be taken apart. */
export interface DataVariable {
  readonly name: string;
  readonly alternatives: readonly Alternative[];
  /** Some constructor holds values of the type itself. */
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

/** `xs` holds `x`. */
function elementName(list: string): string {
  return list.length > 1 && list.endsWith('s') ? list.slice(0, -1) : 'x';
}

function firstFree(taken: ReadonlySet<string>): string {
  return ['x', 'y', 'z', 'w', 'k', 'u', 'v'].find((name) => !taken.has(name)) ?? 'x1';
}
