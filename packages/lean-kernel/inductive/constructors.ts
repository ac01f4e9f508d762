/**
 * Checks the constructors of a block: their parameters are those of the types, the universes of their fields are
 * allowed, the block's types occur only strictly positively, and the result is the type itself. The telescope of a
 * constructor's type is used as written; only the types of fields are reduced.
 */
import type { Checker } from '../check/checker.ts';
import { describe, LITERAL } from '../check/describe.ts';
import { type Expr, FORALL } from '../expr.ts';
import type { Name } from '../name.ts';
import { Rejection } from '../verdict.ts';
import { appliedType, type CheckedBlock } from './block.ts';

/** Checks the constructors and declares them provisionally, so that recursors may mention them. */
export function checkConstructors(checker: Checker, block: CheckedBlock): void {
  const { environment } = checker;
  for (const [at, type] of block.types.entries())
    for (const maker of type.constructors) checkConstructor(checker, block, at, maker.name, maker.type);
  for (const type of block.types)
    for (const [index, maker] of type.constructors.entries())
      environment.declareProvisionally({
        kind: 'constructor',
        name: maker.name,
        levelParams: block.levelParams,
        type: maker.type,
        inductive: type.name,
        index,
        parameters: block.parameters.length,
        fields: binderCount(checker, maker.type) - block.parameters.length,
      });
}

export function binderCount({ terms }: Checker, type: Expr): number {
  let count = 0;
  for (let rest = type; terms.kind(rest) === FORALL; rest = terms.body(rest)) count++;
  return count;
}

/** Returns a constructor's type below its parameters, which must be those of the types. */
export function belowParameters(checker: Checker, block: CheckedBlock, name: Name, type: Expr): Expr {
  const { terms, substitution, equality } = checker;
  const label = terms.names.print(name);
  let rest = type;
  for (const [at, local] of block.parameters.entries()) {
    if (terms.kind(rest) !== FORALL)
      throw new Rejection('constructor', `${label} takes ${at} parameters, its type ${block.parameters.length}`);
    if (!equality.isEqual(terms.binderType(rest), checker.localType(local)))
      throw new Rejection('constructor', `parameter ${at + 1} of ${label} is not that of the type`);
    rest = substitution.instantiate(terms.body(rest), [local]);
  }
  return rest;
}

function checkConstructor(checker: Checker, block: CheckedBlock, typeAt: number, name: Name, type: Expr): void {
  const { terms, substitution, inference, order } = checker;
  const label = terms.names.print(name);
  inference.checkType(type);
  let rest = belowParameters(checker, block, name, type);
  for (let field = 1; terms.kind(rest) === FORALL; field++) {
    const domain = terms.binderType(rest);
    const level = inference.universeOf(domain);
    if (!order.isAlwaysZero(block.level) && !order.isAtMost(level, block.level))
      throw new Rejection(
        'universe',
        `field ${field} of ${label} lives in universe ${terms.levels.print(level, terms.names, LITERAL)}, above the type's`,
      );
    checkPositivity(checker, block, domain, `field ${field} of ${label}`);
    const local = checker.local(domain);
    rest = substitution.instantiate(terms.body(rest), [local]);
  }
  if (appliedType(checker, block, rest) !== typeAt)
    throw new Rejection(
      'constructor',
      `${label} results in ${describe(checker, rest)}, not in its type applied to its parameters`,
    );
}

/**
 * Requires that the field's type does not mention the block, or only as the result of a function whose argument types
 * do not mention it.
 */
function checkPositivity(checker: Checker, block: CheckedBlock, type: Expr, where: string): void {
  const { terms, reduction, substitution } = checker;
  let rest = reduction.whnf(type);
  for (; block.occurrences.in(rest); rest = reduction.whnf(rest)) {
    if (terms.kind(rest) !== FORALL) {
      if (appliedType(checker, block, rest) >= 0) return;
      throw new Rejection('positivity', `${where} mentions a type of the block other than as a field of that type`);
    }
    if (block.occurrences.in(terms.binderType(rest)))
      throw new Rejection('positivity', `${where} takes a type of the block as an argument`);
    const local = checker.local(terms.binderType(rest));
    rest = substitution.instantiate(terms.body(rest), [local]);
  }
}
