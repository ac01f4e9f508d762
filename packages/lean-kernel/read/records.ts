/** Reads lines with declarations: verifies each field, and converts indices to names and terms. */
import type { Declaration } from '../declaration.ts';
import type { Name } from '../name.ts';
import { flag, listOf, Misshapen, oneOf, type Reader, record, whole, withDefault } from '../shape.ts';
import type { Tables } from './tables.ts';

const index = whole();
const count = whole(0x7fffffff);
const indices = listOf(index, 100_000);

/** Other fields, which this kernel derives itself or does not need, are ignored (`all`, `isRec`, `numNested` …). */
const head = { name: index, levelParams: indices, type: index };

type Hints = 'opaque' | 'abbrev' | { readonly regular: number };
const plainHints = oneOf('opaque', 'abbrev');
const regularHints = record({ regular: count });
const writtenHints = record({ kind: plainHints });
const hints: Reader<Hints> = (value, at) => {
  if (typeof value === 'string') return plainHints(value, at);
  if (typeof value === 'object' && value !== null && 'regular' in value) return regularHints(value, at);
  // Some hand-written files have this form.
  return writtenHints(value, at).kind;
};

const axiom = record({ ...head, isUnsafe: flag });
const definition = record({ ...head, value: index, hints, safety: oneOf('safe', 'unsafe', 'partial') });
const theorem = record({ ...head, value: index });
const opaque = record({ ...head, value: index, isUnsafe: flag });
const quotient = record({ ...head, kind: oneOf('type', 'ctor', 'lift', 'ind') });

const inductiveType = record({
  ...head,
  numParams: count,
  numIndices: count,
  ctors: indices,
  isUnsafe: withDefault(flag, false),
});
const maker = record({ ...head, induct: index, cidx: count, numParams: count, numFields: count });
const recursor = record({
  ...head,
  numParams: count,
  numIndices: count,
  numMotives: count,
  numMinors: count,
  rules: listOf(record({ ctor: index, nfields: count, rhs: index }), 100_000),
  k: flag,
});
const inductive = record({
  types: listOf(inductiveType, 10_000),
  ctors: listOf(maker, 100_000),
  recs: listOf(recursor, 20_000),
});

type Line = Readonly<Record<string, unknown>>;

/** `line` is an object. Throws `Misshapen` or `Malformed`. */
export function readDeclaration(tables: Tables, line: object): Declaration {
  const { names, exprs } = tables;
  const fields = line as Line;
  const named = (list: readonly number[]): Name[] => list.map((at) => names.get(at));
  const headOf = (its: { name: number; levelParams: readonly number[]; type: number }) => ({
    name: names.get(its.name),
    levelParams: named(its.levelParams),
    type: exprs.get(its.type),
  });
  if (Object.hasOwn(fields, 'axiom')) {
    const its = axiom(fields.axiom, 'axiom');
    return { kind: 'axiom', ...headOf(its), isUnsafe: its.isUnsafe };
  }
  if (Object.hasOwn(fields, 'def')) {
    const its = definition(fields.def, 'def');
    return { kind: 'definition', ...headOf(its), value: exprs.get(its.value), hint: its.hints, safety: its.safety };
  }
  if (Object.hasOwn(fields, 'thm')) {
    const its = theorem(fields.thm, 'thm');
    return { kind: 'theorem', ...headOf(its), value: exprs.get(its.value) };
  }
  if (Object.hasOwn(fields, 'opaque')) {
    const its = opaque(fields.opaque, 'opaque');
    return { kind: 'opaque', ...headOf(its), value: exprs.get(its.value), isUnsafe: its.isUnsafe };
  }
  if (Object.hasOwn(fields, 'quot')) {
    const its = quotient(fields.quot, 'quot');
    return { kind: 'quotient', ...headOf(its), role: its.kind };
  }
  if (!Object.hasOwn(fields, 'inductive'))
    throw new Misshapen('the line declares nothing that this kernel knows (axiom, def, thm, opaque, quot, inductive)');
  const its = inductive(fields.inductive, 'inductive');
  return {
    kind: 'inductive',
    isUnsafe: its.types.some((type) => type.isUnsafe),
    types: its.types.map((type) => ({
      ...headOf(type),
      parameters: type.numParams,
      indices: type.numIndices,
      constructors: named(type.ctors),
    })),
    constructors: its.ctors.map((made) => ({
      ...headOf(made),
      inductive: names.get(made.induct),
      index: made.cidx,
      parameters: made.numParams,
      fields: made.numFields,
    })),
    recursors: its.recs.map((made) => ({
      ...headOf(made),
      parameters: made.numParams,
      indices: made.numIndices,
      motives: made.numMotives,
      minors: made.numMinors,
      rules: made.rules.map((rule) => ({
        constructor: names.get(rule.ctor),
        fields: rule.nfields,
        value: exprs.get(rule.rhs),
      })),
      k: made.k,
    })),
  };
}
