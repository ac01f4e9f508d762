/** Small values of the types TIP problems use, and how Lean writes them. Type variables stand for Nat. */
import type { SExpression, Vocabulary } from '@stp/datasets/testing';
import { type Constructed, construct, type Datatype, type FunctionValue, type Value } from './evaluator.ts';

export interface SmallValue {
  readonly value: Value;
  /** The value as a Lean term that elaborates as an argument, types written out. */
  readonly lean: string;
}

type Datatypes = ReadonlyMap<string, Datatype>;

/** Functions that may be given for `(=> a Bool)`, …; keyed by the Lean type with every variable Nat. */
const FUNCTIONS: ReadonlyMap<string, readonly (readonly [string, FunctionValue])[]> = new Map([
  ['Nat → Bool', [['(fun x => decide (x = 1))', (x) => x === 1] as const, ['(fun _ => false)', () => false] as const]],
  ['Nat → Nat', [['(fun x => x + 1)', (x) => (x as number) + 1] as const]],
  [
    'Nat → List Nat',
    [
      ['(fun x => [x, x + 1])', (x) => listOf([x!, (x as number) + 1])] as const,
      ['(fun _ => [])', () => listOf([])] as const,
    ],
  ],
  ['Nat → Nat → Bool', [['(fun x y => decide (x = y))', (x) => (y) => x === y] as const]],
  ['List Nat → Bool', [['(fun xs => xs.isEmpty)', (xs) => (xs as Constructed).parts.length === 0] as const]],
]);

const ATOMS: ReadonlyMap<string, readonly number[]> = new Map([
  ['Nat', [0, 1, 2, 3]],
  ['Int', [0, 1, 2]],
]);
/** Type variables, and elements of lists: two values tell equal from different. */
const ELEMENTS = [0, 1];
const LIST_LENGTH_MAX = 3;

export function listOf(values: readonly Value[]): Value {
  return values.reduceRight<Value>((tail, value) => construct('cons', [value, tail]), construct('nil', []));
}

/** Lean's name of the type, variables as Nat. */
export function leanType(type: SExpression, vocabulary: Vocabulary): string {
  if (typeof type === 'string') return vocabulary.types.get(type) ?? 'Nat';
  const [former, ...parts] = type;
  const inner = parts.map((part) => leanType(part, vocabulary));
  const argument = (text: string) => (text.includes(' ') ? `(${text})` : text);
  if (former === 'list') return `List ${argument(inner[0]!)}`;
  if (former === 'pair') return `${argument(inner[0]!)} × ${argument(inner[1]!)}`;
  if (former === '=>') return inner.map((text) => (text.includes('→') ? text : text)).join(' → ');
  return `${vocabulary.types.get(former as string)} ${inner.map(argument).join(' ')}`;
}

/** Up to `limit` small values of `type`, simplest first. */
export function smallValues(
  type: SExpression,
  datatypes: Datatypes,
  vocabulary: Vocabulary,
  limit: number,
): readonly SmallValue[] {
  const wrap = (values: readonly Value[]) =>
    values.slice(0, limit).map((value) => ({ value, lean: leanValue(value, type, datatypes, vocabulary) }));
  if (Array.isArray(type) && type[0] === '=>') {
    const functions = FUNCTIONS.get(leanType(type, vocabulary));
    if (functions === undefined) throw new Error(`no small functions ${leanType(type, vocabulary)}`);
    return functions.map(([lean, value]) => ({ value, lean }));
  }
  return wrap(values(type, datatypes, 2));
}

function values(type: SExpression, datatypes: Datatypes, depth: number): readonly Value[] {
  if (type === 'Bool') return [false, true];
  if (typeof type === 'string' && ATOMS.has(type)) return ATOMS.get(type)!;
  const [former, ...parameters] = typeof type === 'string' ? [type] : type;
  if (former === 'list') return lists(elements(parameters[0]!, datatypes, depth));
  if (former === 'pair')
    return product(
      parameters.map((part) => elements(part, datatypes, depth)),
      'pair2',
    );
  const datatype = datatypes.get(former as string);
  if (datatype === undefined) return ELEMENTS;
  const bound = new Map(datatype.typeVariables.map((variable, index) => [variable, parameters[index]!]));
  const built = datatype.constructors
    .filter(([, parts]) => depth > 0 || !parts.some((part) => mentions(part, former as string)))
    .map(([name, parts]) =>
      product(
        parts.map((part) => {
          const own = substitute(part, bound);
          return mentions(part, former as string) ? values(own, datatypes, depth - 1) : elements(own, datatypes, depth);
        }),
        name,
      ),
    );
  // Constructors without parts first, then in turn from each, so that a short prefix has every constructor.
  return interleaved([...built].sort((a, b) => a.length - b.length));
}

function elements(type: SExpression, datatypes: Datatypes, depth: number): readonly Value[] {
  return type === 'Nat' || type === 'Int' ? ELEMENTS : values(type, datatypes, Math.max(depth - 1, 0)).slice(0, 4);
}

function lists(items: readonly Value[]): readonly Value[] {
  const all: Value[][] = [[]];
  for (let start = 0, length = 1; length <= LIST_LENGTH_MAX; length += 1) {
    const end = all.length;
    for (; start < end; start += 1) for (const item of items) all.push([...all[start]!, item]);
  }
  return all.map(listOf);
}

function product(factors: readonly (readonly Value[])[], name: string): readonly Value[] {
  return factors
    .reduce<Value[][]>((rows, factor) => rows.flatMap((row) => factor.map((value) => [...row, value])), [[]])
    .map((parts) => construct(name, parts));
}

function interleaved(columns: readonly (readonly Value[])[]): readonly Value[] {
  const length = Math.max(...columns.map((column) => column.length));
  return Array.from({ length }, (_, row) =>
    columns.flatMap((column) => (row < column.length ? [column[row]!] : [])),
  ).flat();
}

/** `value` of `type` in Lean's words. */
export function leanValue(value: Value, type: SExpression, datatypes: Datatypes, vocabulary: Vocabulary): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const { tag: name, parts } = value as Constructed;
  const [former, ...parameters] = typeof type === 'string' ? [type] : type;
  const inner = (part: Value, partType: SExpression) => leanValue(part, partType, datatypes, vocabulary);
  if (former === 'list') {
    const items: string[] = [];
    for (let rest = value as Constructed; rest.tag === 'cons'; rest = rest.parts[1] as Constructed) {
      items.push(inner(rest.parts[0]!, parameters[0]!));
    }
    return `([${items.join(', ')}] : ${leanType(type, vocabulary)})`;
  }
  if (former === 'pair') return `(${parts.map((part, index) => inner(part, parameters[index]!)).join(', ')})`;
  const datatype = datatypes.get(former as string)!;
  const bound = new Map(datatype.typeVariables.map((variable, index) => [variable, parameters[index]!]));
  const types = datatype.constructors.find(([own]) => own === name)![1];
  const words = [
    vocabulary.terms.get(name)!,
    ...parts.map((part, index) => inner(part, substitute(types[index]!, bound))),
  ];
  return `(${words.join(' ')} : ${leanType(type, vocabulary)})`;
}

function substitute(type: SExpression, bound: ReadonlyMap<string, SExpression>): SExpression {
  return typeof type === 'string' ? (bound.get(type) ?? type) : type.map((part) => substitute(part, bound));
}

function mentions(type: SExpression, name: string): boolean {
  return typeof type === 'string' ? type === name : type.some((part) => mentions(part, name));
}
