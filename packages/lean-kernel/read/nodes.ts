/**
 * Reads lines that define a name, a level or an expression. These are nearly all lines of an export, so they are
 * checked without `shape.ts`.
 */
import type { Expr, Terms } from '../expr.ts';
import type { Level } from '../level.ts';
import { Malformed, type Tables } from './tables.ts';

type Json = Readonly<Record<string, unknown>>;

/** Maximum digits of a number literal; the reader declines a file with a longer one. */
const DIGITS_MAX = 5_000_000;

export function readName(terms: Terms, tables: Tables, line: Json): void {
  const text = line.str;
  const number = line.num;
  if (isObject(text)) {
    const part = text.str;
    if (typeof part !== 'string') throw new Malformed('a name whose text is no string');
    tables.names.set(line.in, terms.names.text(tables.names.get(text.pre), part));
  } else if (isObject(number)) {
    tables.names.set(line.in, terms.names.number(tables.names.get(number.pre), index(number.i)));
  } else throw new Malformed('a name that is neither text nor number');
}

export function readLevel(terms: Terms, tables: Tables, line: Json): void {
  const { levels } = terms;
  let level: Level;
  if ('succ' in line) level = levels.successor(tables.levels.get(line.succ));
  else if ('max' in line) level = levels.maximum(...pair(tables, line.max));
  else if ('imax' in line) level = levels.impredicativeMaximum(...pair(tables, line.imax));
  else if ('param' in line) level = levels.parameter(tables.names.get(line.param));
  else throw new Malformed('a level of no known kind');
  tables.levels.set(line.il, level);
}

export function readExpr(terms: Terms, tables: Tables, line: Json): void {
  tables.exprs.set(line.ie, exprOf(terms, tables, line));
}

function exprOf(terms: Terms, { names, levels, exprs }: Tables, line: Json): Expr {
  const application = line.app;
  if (isObject(application)) return terms.application(exprs.get(application.fn), exprs.get(application.arg));
  const constant = line.const;
  if (isObject(constant)) {
    const list = constant.us;
    if (!Array.isArray(list)) throw new Malformed('a constant without a list of levels');
    return terms.constant(names.get(constant.name), terms.levels.list(list.map((index) => levels.get(index))));
  }
  const lambda = line.lam;
  if (isObject(lambda)) return terms.lambda(exprs.get(lambda.type), exprs.get(lambda.body));
  const forall = line.forallE;
  if (isObject(forall)) return terms.forall(exprs.get(forall.type), exprs.get(forall.body));
  if ('bvar' in line) return terms.bound(count(line.bvar));
  if ('sort' in line) return terms.sort(levels.get(line.sort));
  const projection = line.proj;
  if (isObject(projection))
    return terms.projection(names.get(projection.typeName), count(projection.idx), exprs.get(projection.struct));
  const binding = line.letE;
  if (isObject(binding)) return terms.let(exprs.get(binding.type), exprs.get(binding.value), exprs.get(binding.body));
  const natural = line.natVal;
  if (typeof natural === 'string' && /^[0-9]+$/.test(natural)) {
    if (natural.length > DIGITS_MAX) throw new Malformed(`a number of more than ${DIGITS_MAX} digits`);
    return terms.natural(BigInt(natural));
  }
  if (typeof line.strVal === 'string') return terms.string(line.strVal);
  const annotated = line.mdata;
  if (isObject(annotated)) return exprs.get(annotated.expr);
  throw new Malformed('an expression of no known kind');
}

function pair({ levels }: Tables, value: unknown): [Level, Level] {
  if (!Array.isArray(value) || value.length !== 2) throw new Malformed('a maximum of other than two levels');
  return [levels.get(value[0]), levels.get(value[1])];
}

/** Reads a number that must fit in 32 bits. */
function count(value: unknown): number {
  const number = index(value);
  if (number > 0x7fffffff) throw new Malformed(`${number} where a count should be`);
  return number;
}

function index(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Malformed(`${JSON.stringify(value)} where a count should be`);
  return value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
