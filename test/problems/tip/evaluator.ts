/**
 * Runs the definitions of a TIP problem as SMT-LIB says, without Lean: the other side of the comparison that pins our
 * Lean definitions to the benchmark's. Natural numbers and integers are JavaScript numbers; other values are trees.
 */
import type { SExpression } from '@stp/datasets/testing';

export interface Constructed {
  readonly tag: string;
  readonly parts: readonly Value[];
}
export type FunctionValue = (...values: readonly Value[]) => Value;
export type Value = boolean | number | Constructed | FunctionValue;

export interface Definition {
  readonly name: string;
  readonly typeVariables: readonly string[];
  readonly parameters: readonly (readonly [string, SExpression])[];
  readonly result: SExpression;
  readonly body: SExpression;
}

export interface Datatype {
  readonly typeVariables: readonly string[];
  /** Constructor and the types of its parts. */
  readonly constructors: readonly (readonly [string, readonly SExpression[]])[];
}

export interface Program {
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly datatypes: ReadonlyMap<string, Datatype>;
  /** Value of the function `name` at `values`. */
  call(name: string, values: readonly Value[]): Value;
  /** Value of an expression whose free symbols `environment` names. */
  evaluate(e: SExpression, environment: ReadonlyMap<string, Value>): Value;
}

export interface Goal {
  readonly parameters: Definition['parameters'];
  readonly body: SExpression;
}

type List = readonly SExpression[];
type Environment = ReadonlyMap<string, Value>;

const NIL: Constructed = { tag: 'nil', parts: [] };

export function readProgram(forms: readonly SExpression[]): Program {
  const definitions = new Map<string, Definition>();
  const datatypes = new Map<string, Datatype>();
  for (const form of forms as readonly List[]) {
    const [kind, name, ...rest] = form;
    if (kind === 'define-fun' || kind === 'define-fun-rec') {
      const [signature, body] = isPar(rest[0]) ? [rest[0], rest[1]] : [[rest[0]!, rest[1]!], rest[2]];
      addDefinition(definitions, name as string, signature as List, body!);
    } else if (kind === 'define-funs-rec') {
      (name as readonly List[]).forEach(([own, ...signature], index) => {
        const whole = isPar(signature[0]) ? signature[0] : signature;
        addDefinition(definitions, own as string, whole, (rest[0] as List)[index]!);
      });
    } else if (kind === 'declare-datatype') {
      const [typeVariables, constructors] = isPar(rest[0]) ? [rest[0][1], rest[0][2]] : [[], rest[0]];
      datatypes.set(name as string, {
        typeVariables: typeVariables as readonly string[],
        constructors: (constructors as readonly List[]).map(([own, ...parts]) => [
          own as string,
          parts.map((part) => (part as List)[1]!),
        ]),
      });
    }
  }
  const program: Program = {
    definitions,
    datatypes,
    call: (name, values) => {
      const definition = definitions.get(name)!;
      const environment = new Map(definition.parameters.map(([parameter], index) => [parameter, values[index]!]));
      return evaluate(definition.body, environment, program);
    },
    evaluate: (e, environment) => evaluate(e, environment, program),
  };
  return program;
}

/** The universally quantified goal of a problem. */
export function readGoal(forms: readonly SExpression[]): Goal {
  const prove = (forms as readonly List[]).find(([kind]) => kind === 'prove')!;
  const inner = (isPar(prove[1]) ? prove[1][2] : prove[1]) as List;
  if (inner[0] !== 'forall') throw new Error('goal is not universally quantified');
  return { parameters: inner[1] as Definition['parameters'], body: inner[2]! };
}

function isPar(form: SExpression | undefined): form is List {
  return Array.isArray(form) && form[0] === 'par';
}

function addDefinition(into: Map<string, Definition>, name: string, signature: List, body: SExpression): void {
  const [typeVariables, inner] =
    signature[0] === 'par' ? [signature[1] as readonly string[], signature[2] as List] : [[], signature];
  const [parameters, result] = inner;
  into.set(name, { name, typeVariables, parameters: parameters as Definition['parameters'], result: result!, body });
}

function evaluate(e: SExpression, environment: Environment, program: Program): Value {
  if (typeof e === 'string') return symbol(e, environment, program);
  const [operator, ...parts] = e;
  const value = (index: number) => evaluate(parts[index]!, environment, program);
  switch (operator) {
    case '_':
      return construct(parts[0] as string, []);
    case '@':
      return parts
        .slice(1)
        .reduce<Value>((applied, part) => (applied as FunctionValue)(evaluate(part, environment, program)), value(0));
    case 'lambda':
      return (argument: Value) => {
        const [[parameter]] = parts[0] as readonly [readonly [string]];
        return evaluate(parts[1]!, new Map([...environment, [parameter, argument]]), program);
      };
    case 'let': {
      const bound = (parts[0] as readonly (readonly [string, SExpression])[]).map(
        ([name, part]) => [name, evaluate(part, environment, program)] as const,
      );
      return evaluate(parts[1]!, new Map([...environment, ...bound]), program);
    }
    case 'ite':
      return value(0) === true ? value(1) : value(2);
    case 'match':
      return match(value(0), parts[1] as readonly (readonly [SExpression, SExpression])[], environment, program);
    case 'and':
      return value(0) === true && value(1) === true;
    case 'or':
      return value(0) === true || value(1) === true;
    case '=>':
      return value(0) === false || value(1) === true;
    case 'not':
      return value(0) === false;
    case '=':
      return sameValue(value(0), value(1));
    case 'distinct':
      return !sameValue(value(0), value(1));
    default:
      return apply(
        operator as string,
        parts.map((_, index) => value(index)),
        environment,
        program,
      );
  }
}

function symbol(name: string, environment: Environment, program: Program): Value {
  const bound = environment.get(name);
  if (bound !== undefined) return bound;
  if (name === 'true' || name === 'false') return name === 'true';
  if (/^\d+$/.test(name)) return Number(name);
  return apply(name, [], environment, program);
}

function apply(name: string, values: readonly Value[], environment: Environment, program: Program): Value {
  const bound = environment.get(name);
  if (typeof bound === 'function') return bound(...values);
  return program.definitions.has(name) ? program.call(name, values) : construct(name, values);
}

/** `zero`, `succ n`, … are numbers; everything else that is not defined is a constructor. */
export function construct(name: string, parts: readonly Value[]): Value {
  if (name === 'Z' || name === 'zero') return 0;
  if (name === 'S' || name === 'succ') return (parts[0] as number) + 1;
  return name === 'nil' ? NIL : { tag: name, parts };
}

function match(
  value: Value,
  cases: readonly (readonly [SExpression, SExpression])[],
  environment: Environment,
  program: Program,
): Value {
  for (const [pattern, body] of cases) {
    const [name, ...names] = (typeof pattern === 'string' ? [pattern] : pattern) as readonly string[];
    const parts = name === '_' ? [] : partsUnder(name!, value);
    if (parts === null) continue;
    return evaluate(
      body,
      new Map([...environment, ...names.map((own, index) => [own, parts[index]!] as const)]),
      program,
    );
  }
  throw new Error(`no case for ${JSON.stringify(value)}`);
}

function partsUnder(name: string, value: Value): readonly Value[] | null {
  if (typeof value === 'number') {
    if (name === 'Z' || name === 'zero') return value === 0 ? [] : null;
    return value > 0 && (name === 'S' || name === 'succ') ? [value - 1] : null;
  }
  if (typeof value === 'boolean') return String(value) === name ? [] : null;
  const constructed = value as Constructed;
  return constructed.tag === name ? constructed.parts : null;
}

export function sameValue(a: Value, b: Value): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
