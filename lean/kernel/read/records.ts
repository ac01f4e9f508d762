/** Lines that declare something, as zod schemas, and their declarations with resolved indices. */
import * as z from 'zod';
import type { Declaration } from '../declaration.ts';
import type { Name } from '../name.ts';
import type { Tables } from './tables.ts';

const index = z.int().nonnegative();
const count = z.int().nonnegative().max(0x7fffffff);
const indices = z.array(index).max(100_000);

/** Fields that this kernel derives itself or does not need are ignored (`all`, `isRec`, `numNested` …). */
const head = { name: index, levelParams: indices, type: index };

const hints = z.union([
  z.enum(['opaque', 'abbrev']),
  z.object({ regular: count }),
  // Written by hand in some files.
  z.object({ kind: z.enum(['opaque', 'abbrev']) }).transform(({ kind }) => kind),
]);

const axiom = z.object({ ...head, isUnsafe: z.boolean() });
const definition = z.object({ ...head, value: index, hints, safety: z.enum(['safe', 'unsafe', 'partial']) });
const theorem = z.object({ ...head, value: index });
const opaque = z.object({ ...head, value: index, isUnsafe: z.boolean() });
const quotient = z.object({ ...head, kind: z.enum(['type', 'ctor', 'lift', 'ind']) });

const inductiveType = z.object({
  ...head,
  numParams: count,
  numIndices: count,
  ctors: indices,
  isUnsafe: z.boolean().default(false),
});
const maker = z.object({ ...head, induct: index, cidx: count, numParams: count, numFields: count });
const recursor = z.object({
  ...head,
  numParams: count,
  numIndices: count,
  numMotives: count,
  numMinors: count,
  rules: z.array(z.object({ ctor: index, nfields: count, rhs: index })).max(100_000),
  k: z.boolean(),
});
const inductive = z.object({
  types: z.array(inductiveType).max(10_000),
  ctors: z.array(maker).max(100_000),
  recs: z.array(recursor).max(20_000),
});

const record = z.union([
  z.object({ axiom }),
  z.object({ def: definition }),
  z.object({ thm: theorem }),
  z.object({ opaque }),
  z.object({ quot: quotient }),
  z.object({ inductive }),
]);

/** Throws a `ZodError` or `Malformed`. */
export function readDeclaration(tables: Tables, line: unknown): Declaration {
  const { names, exprs } = tables;
  const named = (list: readonly number[]): Name[] => list.map((at) => names.get(at));
  const headOf = (its: { name: number; levelParams: number[]; type: number }) => ({
    name: names.get(its.name),
    levelParams: named(its.levelParams),
    type: exprs.get(its.type),
  });
  const read = record.parse(line);
  if ('axiom' in read) return { kind: 'axiom', ...headOf(read.axiom), isUnsafe: read.axiom.isUnsafe };
  if ('def' in read) {
    const { value, hints: hint, safety } = read.def;
    return { kind: 'definition', ...headOf(read.def), value: exprs.get(value), hint, safety };
  }
  if ('thm' in read) return { kind: 'theorem', ...headOf(read.thm), value: exprs.get(read.thm.value) };
  if ('opaque' in read) {
    const { value, isUnsafe } = read.opaque;
    return { kind: 'opaque', ...headOf(read.opaque), value: exprs.get(value), isUnsafe };
  }
  if ('quot' in read) return { kind: 'quotient', ...headOf(read.quot), role: read.quot.kind };
  return {
    kind: 'inductive',
    isUnsafe: read.inductive.types.some((type) => type.isUnsafe),
    types: read.inductive.types.map((type) => ({
      ...headOf(type),
      parameters: type.numParams,
      indices: type.numIndices,
      constructors: named(type.ctors),
    })),
    constructors: read.inductive.ctors.map((its) => ({
      ...headOf(its),
      inductive: names.get(its.induct),
      index: its.cidx,
      parameters: its.numParams,
      fields: its.numFields,
    })),
    recursors: read.inductive.recs.map((its) => ({
      ...headOf(its),
      parameters: its.numParams,
      indices: its.numIndices,
      motives: its.numMotives,
      minors: its.numMinors,
      rules: its.rules.map((rule) => ({
        constructor: names.get(rule.ctor),
        fields: rule.nfields,
        value: exprs.get(rule.rhs),
      })),
      k: its.k,
    })),
  };
}
