/** Terms of a signature, and equations between them, as text. */
import { coreNotation } from './core-functions.ts';
import { generalised, type TypedTerm } from './general-types.ts';
import { ARROW, ELEMENT, type GroundType, type TypeScheme, typeKey } from './ground-type.ts';
import type { TermSymbol } from './symbol-schemes.ts';

export interface Variable {
  readonly type: GroundType;
  /** Index among the variables of its type, from 0. */
  readonly index: number;
}

export interface Term {
  readonly type: GroundType;
  readonly form: { readonly variable: Variable } | { readonly symbol: TermSymbol; readonly args: readonly Term[] };
  /** Number of functions in it, without constructors and variables. */
  readonly functions: number;
  readonly constructors: number;
  /** Number of symbols and variables in it. */
  readonly size: number;
  /** Equal for equal terms. */
  readonly key: string;
}

export function variableTerm(variable: Variable): Term {
  const key = `${typeKey(variable.type)}#${variable.index}`;
  return { type: variable.type, form: { variable }, functions: 0, constructors: 0, size: 1, key };
}

export function applied(symbol: TermSymbol, args: readonly Term[]): Term {
  const sum = (of: (term: Term) => number): number => args.reduce((total, term) => total + of(term), 0);
  return {
    type: symbol.result,
    form: { symbol, args },
    functions: sum((term) => term.functions) + (symbol.isConstructor ? 0 : 1),
    constructors: sum((term) => term.constructors) + (symbol.isConstructor ? 1 : 0),
    size: sum((term) => term.size) + 1,
    key: `(${[symbol.name, ...args.map((term) => term.key)].join(' ')})`,
  };
}

/** Returns the distinct variables in order of occurrence. */
export function variablesOf(...terms: readonly Term[]): Variable[] {
  const found = new Map<string, Variable>();
  const walk = ({ form, key }: Term): void => {
    if ('variable' in form) found.set(key, form.variable);
    else form.args.forEach(walk);
  };
  terms.forEach(walk);
  return [...found.values()];
}

/** Whether `term` is an instance of `pattern`. Fills `bound` with the values of variables, by key. */
export function matches(pattern: Term, term: Term, bound: Map<string, Term>): boolean {
  if ('variable' in pattern.form) {
    const known = bound.get(pattern.key);
    if (known !== undefined) return known.key === term.key;
    if (typeKey(pattern.type) !== typeKey(term.type)) return false;
    bound.set(pattern.key, term);
    return true;
  }
  if ('variable' in term.form) return false;
  const [own, its] = [pattern.form, term.form];
  if (own.symbol.name !== its.symbol.name || own.symbol.result !== its.symbol.result) return false;
  return own.args.every((part, index) => matches(part, its.args[index]!, bound));
}

export function substituted(term: Term, bound: ReadonlyMap<string, Term>): Term {
  const { form } = term;
  if ('variable' in form) return bound.get(term.key) ?? term;
  return applied(
    form.symbol,
    form.args.map((part) => substituted(part, bound)),
  );
}

export interface Equation {
  readonly left: Term;
  readonly right: Term;
  /** The equation holds if this one does. Missing: it always holds. */
  readonly condition?: Equation;
}

/** Number of functions in the left side and in the condition. */
export const functionsOf = ({ left, condition }: Equation): number => left.functions + (condition?.left.functions ?? 0);

/** Names of variables by the heads of their types; at most three per type. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Nat: ['n', 'm', 'k'],
  [ELEMENT]: ['x', 'y', 'z'],
  List: ['xs', 'ys', 'zs'],
  Bool: ['p', 'q', 'r'],
  [ARROW]: ['f', 'g', 'h'],
};
const OTHER_NAMES = ['a', 'b', 'c', 'd', 'e', 'i', 'j', 'l', 's', 't', 'u', 'v', 'w'];
/** Names of types, in order of need. No equation has more type variables than this. */
const TYPE_NAMES = [ELEMENT, 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'ι', 'κ', 'μ', 'ν'];
export const VARIABLE_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(NAMES).flat(),
  ...OTHER_NAMES,
  ...TYPE_NAMES,
]);

/**
 * Prints the equation at its most general types, as a theorem statement without a name: `{α : Type} (xs : List α) :
 * left = right`. A condition is printed before it with `→`.
 */
export function equationText(equation: Equation, written: (name: string) => string, universe = 'Type'): string {
  const { sides, variableType } = generalised(equation);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const typeNames = new Map<number, string>();
  const naming: Naming = {
    names,
    written,
    typeName: (variable) => {
      const name = typeNames.get(variable) ?? TYPE_NAMES[typeNames.size]!;
      typeNames.set(variable, name);
      return name;
    },
  };
  const binders = variablesOf(...sides.map(({ term }) => term)).map((variable) => {
    const { key } = variableTerm(variable);
    const type = variableType(key);
    const own = NAMES['variable' in type ? ELEMENT : type.head] ?? [];
    const name = [...own, ...OTHER_NAMES].find((one) => !taken.has(one))!;
    taken.add(name);
    names.set(key, name);
    return `(${name} : ${typeText(type, naming)})`;
  });
  const texts = sides.map((side) => termText(side, naming));
  const equations = texts.flatMap((text, index) => (index % 2 === 0 ? [`${text} = ${texts[index + 1]}`] : []));
  const types = typeNames.size === 0 ? [] : [`{${[...typeNames.values()].join(' ')} : ${universe}}`];
  return `${[...types, ...binders].join(' ')} : ${equations.join(' → ')}`;
}

interface Naming {
  readonly names: ReadonlyMap<string, string>;
  readonly written: (name: string) => string;
  typeName(variable: number): string;
}

function typeText(type: TypeScheme, naming: Naming, isArgument = false): string {
  if ('variable' in type) return naming.typeName(type.variable);
  const { head, args } = type;
  if (args.length === 0) return naming.written(head);
  const text =
    head === ARROW
      ? `${typeText(args[0]!, naming, true)} → ${typeText(args[1]!, naming)}`
      : [naming.written(head), ...args.map((its) => typeText(its, naming, true))].join(' ');
  return isArgument ? `(${text})` : text;
}

function termText({ term, type, parts }: TypedTerm, naming: Naming, argumentOf: TermSymbol | null = null): string {
  const { form, key } = term;
  if ('variable' in form) return naming.names.get(key)!;
  const texts = parts.map((part) => termText(part, naming, form.symbol));
  const text = symbolText(form.symbol.name, texts, naming.written);
  // `zip xs []` does not determine the second list's element type, and `take n []` not that of its only list.
  const isOpen = argumentOf !== null && argumentOf.scheme.variables > 0 && !argumentOf.isConstructor;
  if (isOpen && parts.length === 0 && form.symbol.scheme.variables > 0) return `(${text} : ${typeText(type, naming)})`;
  return argumentOf !== null && text.includes(' ') && !/^\[.*\]$/u.test(text) ? `(${text})` : text;
}

function symbolText(name: string, parts: readonly string[], written: (name: string) => string): string {
  switch (name) {
    case 'Nat.zero':
      return '0';
    case 'Nat.succ':
      return `${parts[0]!} + 1`;
    case 'List.nil':
      return '[]';
    case 'List.cons':
      return `${parts[0]!} :: ${parts[1]!}`;
    case 'Bool.true':
    case 'Bool.false':
      return name.slice('Bool.'.length);
    default:
      return coreNotation(name)?.(...parts) ?? [written(name), ...parts].join(' ');
  }
}
