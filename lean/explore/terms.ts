/** Terms of a signature, and equations between them, as text. */
import { ELEMENT, type GroundType, typeKey, typeText } from './ground-type.ts';
import type { TermSymbol } from './signature.ts';

export interface Variable {
  readonly type: GroundType;
  /** Among those of its type, from 0. */
  readonly index: number;
}

export interface Term {
  readonly type: GroundType;
  readonly form: { readonly variable: Variable } | { readonly symbol: TermSymbol; readonly args: readonly Term[] };
  /** Functions in it; constructors and variables are not counted. */
  readonly functions: number;
  readonly constructors: number;
  /** Symbols and variables in it. */
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

/** Variables in the order in which they stand, each once. */
export function variablesOf(...terms: readonly Term[]): Variable[] {
  const found = new Map<string, Variable>();
  const walk = ({ form, key }: Term): void => {
    if ('variable' in form) found.set(key, form.variable);
    else form.args.forEach(walk);
  };
  terms.forEach(walk);
  return [...found.values()];
}

/** Is `term` an instance of `pattern`? Fills `bound`, by the key of a variable. */
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
  return own.args.every((part, place) => matches(part, its.args[place]!, bound));
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
}

/** By the head of a type, names of variables; three of a type at most. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Nat: ['n', 'm', 'k'],
  [ELEMENT]: ['x', 'y', 'z'],
  List: ['xs', 'ys', 'zs'],
  Bool: ['p', 'q', 'r'],
  '→': ['f', 'g', 'h'],
};
const OTHER_NAMES = ['a', 'b', 'c', 'd', 'e', 'i', 'j', 'l', 's', 't', 'u', 'v', 'w'];
export const VARIABLE_NAMES: ReadonlySet<string> = new Set([...Object.values(NAMES).flat(), ...OTHER_NAMES, ELEMENT]);

/** The equation as the statement of a theorem without a name: `{α : Type} (xs ys : List α) : left = right`. */
export function equationText({ left, right }: Equation, written: (name: string) => string): string {
  const variables = variablesOf(left, right);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const variable of variables) {
    const own = NAMES[variable.type.head] ?? [];
    const name = [...own, ...OTHER_NAMES].find((one) => !taken.has(one))!;
    taken.add(name);
    names.set(variableTerm(variable).key, name);
  }
  const binders = variables.map(
    (variable) => `(${names.get(variableTerm(variable).key)!} : ${typeText(variable.type, written)})`,
  );
  const isTyped = variables.some(({ type }) => mentions(type));
  const naming: Naming = { names, written, isTyped };
  const mentionsElement = isTyped || mentionsIn(left) || mentionsIn(right);
  const head = [...(mentionsElement ? [`{${ELEMENT} : Type}`] : []), ...binders].join(' ');
  return `${head} : ${termText(left, naming)} = ${termText(right, naming)}`;
}

interface Naming {
  /** Of variables, by key. */
  readonly names: ReadonlyMap<string, string>;
  readonly written: (name: string) => string;
  /** A variable's type says what the elements are. */
  readonly isTyped: boolean;
}

function mentions({ head, args }: GroundType): boolean {
  return head === ELEMENT || args.some(mentions);
}

function mentionsIn({ type, form }: Term): boolean {
  return mentions(type) || ('symbol' in form && form.args.some(mentionsIn));
}

function termText(term: Term, naming: Naming, argumentOf: TermSymbol | null = null): string {
  const { form, key } = term;
  if ('variable' in form) return naming.names.get(key)!;
  const { written, isTyped } = naming;
  const parts = form.args.map((part) => termText(part, naming, form.symbol));
  const text = symbolText(form.symbol.name, parts, written);
  // `zip xs []` leaves open what the second list would hold, and `take n []` what the only one would.
  const isOpen = argumentOf !== null && argumentOf.scheme.variables > (isTyped ? 1 : 0);
  if (isOpen && parts.length === 0 && term.type.args.length > 0) return `(${text} : ${typeText(term.type, written)})`;
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
      return [written(name), ...parts].join(' ');
  }
}
