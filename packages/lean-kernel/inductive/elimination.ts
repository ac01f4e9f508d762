/**
 * Decides into which sorts a recursor may eliminate: any universe, or only propositions. Also decides whether it is
 * K-like: then its type is a proposition with a single constructor without fields, and any proof of it may replace the
 * constructor.
 */
import type { Checker } from '../check/checker.ts';
import { type Expr, FORALL } from '../expr.ts';
import type { Level } from '../level.ts';
import type { Name } from '../name.ts';
import { argumentsOf } from '../spine.ts';
import type { CheckedBlock } from './block.ts';
import { binderCount } from './constructors.ts';

export interface Elimination {
  /** Universe of the motives. */
  readonly level: Level;
  /** Universe parameters of the recursors. */
  readonly levelParams: readonly Name[];
  readonly isKLike: boolean;
}

export function elimination(checker: Checker, block: CheckedBlock): Elimination {
  const { terms } = checker;
  const isKLike = isKLikeBlock(checker, block);
  if (!eliminatesIntoAll(checker, block)) return { level: terms.levels.zero, levelParams: block.levelParams, isKLike };
  const name = freshName(checker, block.levelParams);
  return { level: terms.levels.parameter(name), levelParams: [name, ...block.levelParams], isKLike };
}

/**
 * Whether the recursor may eliminate into every universe: for a type that is never a proposition, for a proposition
 * without constructors, and for one with a single constructor whose data is determined by its type, so that each field
 * is a proof or occurs itself as an argument of the result.
 */
function eliminatesIntoAll(checker: Checker, block: CheckedBlock): boolean {
  if (checker.order.isNeverZero(block.level)) return true;
  const [type, ...others] = block.types;
  if (type === undefined || others.length > 0 || type.constructors.length > 1) return false;
  const [maker] = type.constructors;
  return maker === undefined || areFieldsDetermined(checker, block, maker.type);
}

function areFieldsDetermined(checker: Checker, block: CheckedBlock, type: Expr): boolean {
  const { terms, substitution, inference, order } = checker;
  const data: Expr[] = [];
  let rest = type;
  for (let at = 0; terms.kind(rest) === FORALL; at++) {
    const domain = terms.binderType(rest);
    let local = block.parameters[at];
    if (local === undefined) {
      local = checker.local(domain);
      if (!order.isAlwaysZero(inference.universeOf(domain))) data.push(local);
    }
    rest = substitution.instantiate(terms.body(rest), [local]);
  }
  const given = new Set(argumentsOf(terms, rest));
  return data.every((field) => given.has(field));
}

function isKLikeBlock(checker: Checker, block: CheckedBlock): boolean {
  const [type] = block.types;
  const maker = type?.constructors[0];
  return (
    block.types.length === 1 &&
    type?.constructors.length === 1 &&
    maker !== undefined &&
    checker.order.isAlwaysZero(block.level) &&
    binderCount(checker, maker.type) === block.parameters.length
  );
}

/** Returns `u`, or `u_1`, `u_2` … if it is taken. */
function freshName({ terms }: Checker, taken: readonly Name[]): Name {
  let name = terms.names.of('u');
  for (let at = 1; taken.includes(name); at++) name = terms.names.of(`u_${at}`);
  return name;
}
