/**
 * Unfolds definitions only as far as a comparison needs. Of two heads the one with the greater definitional height is
 * unfolded first: if one is defined by the other, it is the higher one. For equal heads it compares the arguments
 * before unfolding both.
 */
import type { DefinitionConstant } from '../environment.ts';
import { APPLICATION, type Expr, PROJECTION } from '../expr.ts';
import { headOf } from '../spine.ts';
import type { Checker } from './checker.ts';

export interface Stuck {
  readonly left: Expr;
  readonly right: Expr;
}

/** Returns a verdict, or two expressions without definitions at their heads that remain to be compared. */
export function unfoldTogether(checker: Checker, first: Expr, second: Expr): boolean | Stuck {
  const { budget, reduction, equality, naturals, terms } = checker;
  let [left, right] = [first, second];
  for (;;) {
    budget.step();
    const offset = compareOffsets(checker, left, right);
    if (offset !== null) return offset;
    if (terms.freeBound(left) === 0 && terms.freeBound(right) === 0) {
      const leftLiteral = naturals.reduce(left);
      if (leftLiteral !== null) return equality.isEqual(leftLiteral, right);
      const rightLiteral = naturals.reduce(right);
      if (rightLiteral !== null) return equality.isEqual(left, rightLiteral);
    }
    const leftDefinition = reduction.definition(left);
    const rightDefinition = reduction.definition(right);
    if (leftDefinition === null && rightDefinition === null) return { left, right };
    const side = sideToUnfold(checker, left, leftDefinition, right, rightDefinition);
    if (side === 'equal') return true;
    const before: Stuck = { left, right };
    if (side !== 'right') left = unfoldOne(checker, left);
    if (side !== 'left') right = unfoldOne(checker, right);
    if (left === before.left && right === before.right) return { left, right };
    const seen = equality.look(left, right);
    if (seen !== null) return seen;
  }
}

type Side = 'left' | 'right' | 'both' | 'equal';

function sideToUnfold(
  checker: Checker,
  left: Expr,
  leftDefinition: DefinitionConstant | null,
  right: Expr,
  rightDefinition: DefinitionConstant | null,
): Side {
  // If only one side has a definition, a reducible projection on the other side goes first.
  if (leftDefinition === null) return isProjectionToReduce(checker, left) ? 'left' : 'right';
  if (rightDefinition === null) return isProjectionToReduce(checker, right) ? 'right' : 'left';
  if (leftDefinition.height > rightDefinition.height) return 'left';
  if (leftDefinition.height < rightDefinition.height) return 'right';
  const { terms, equality } = checker;
  const areApplications = terms.kind(left) === APPLICATION && terms.kind(right) === APPLICATION;
  return leftDefinition === rightDefinition && areApplications && equality.areArgumentsEqualOnce(left, right)
    ? 'equal'
    : 'both';
}

function isProjectionToReduce(checker: Checker, expr: Expr): boolean {
  const { terms, reduction } = checker;
  return terms.kind(headOf(terms, expr)) === PROJECTION && reduction.whnfCore(expr) !== expr;
}

function unfoldOne(checker: Checker, expr: Expr): Expr {
  const { reduction } = checker;
  const unfolded = reduction.unfold(expr);
  return unfolded === null ? reduction.whnfCore(expr) : reduction.whnfCore(unfolded, true);
}

/** Compares `n + 1` with `m + 1`, and zero with zero, without unfolding. Null if neither case applies. */
function compareOffsets(checker: Checker, left: Expr, right: Expr): boolean | null {
  const { naturals, equality, special } = checker;
  if (special.naturalValue(left) === 0n && special.naturalValue(right) === 0n) return true;
  const below = naturals.predecessor(left);
  if (below === null) return null;
  const other = naturals.predecessor(right);
  return other === null ? null : equality.isEqual(below, other);
}
