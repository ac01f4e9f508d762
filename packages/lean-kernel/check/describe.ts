/** Prints expressions in messages, with limits on depth and number of symbols. The text is never read back. */
import {
  APPLICATION,
  BOUND,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  LOCAL,
  NATURAL,
  PROJECTION,
  SORT,
  type Terms,
} from '../expr.ts';
import { argumentsOf, headOf } from '../spine.ts';

const DEPTH = 6;
const CHARACTERS = 300;
/** Maximum digits of a literal, and characters of a string or a universe level, that are printed. */
export const LITERAL = 40;

export function describe({ terms }: { readonly terms: Terms }, expr: Expr): string {
  return cut(text(terms, expr, DEPTH), CHARACTERS);
}

function text(terms: Terms, expr: Expr, depth: number): string {
  if (depth === 0) return '…';
  const part = (of: Expr): string => text(terms, of, depth - 1);
  switch (terms.kind(expr)) {
    case BOUND:
      return `#${terms.number(expr)}`;
    case LOCAL:
      return `x${terms.number(expr)}`;
    case SORT: {
      const level = terms.levels.print(terms.level(expr), terms.names, LITERAL);
      return level === '0' ? 'Prop' : `Sort ${level}`;
    }
    case CONSTANT:
      return terms.names.print(terms.name(expr));
    case APPLICATION: {
      const given = argumentsOf(terms, expr).slice(0, 8);
      return `(${part(headOf(terms, expr))} ${given.map(part).join(' ')})`;
    }
    case LAMBDA:
      return `(fun ${part(terms.binderType(expr))} => ${part(terms.body(expr))})`;
    case FORALL:
      return `(∀ ${part(terms.binderType(expr))}, ${part(terms.body(expr))})`;
    case LET:
      return `(let ${part(terms.letValue(expr))}; ${part(terms.letBody(expr))})`;
    case PROJECTION:
      return `${part(terms.projected(expr))}.${terms.fieldIndex(expr) + 1}`;
    case NATURAL: {
      const value = terms.naturalValue(expr);
      return value < 10n ** 40n ? String(value) : 'a large literal';
    }
    default:
      return JSON.stringify(cut(terms.stringValue(expr), LITERAL));
  }
}

function cut(full: string, length: number): string {
  return full.length <= length ? full : `${full.slice(0, length)}…`;
}
