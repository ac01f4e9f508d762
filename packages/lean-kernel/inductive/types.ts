/**
 * Checks the types of a block: each is closed and well typed, and is a telescope of the same parameters, then indices,
 * ending in the same sort.
 *
 * If the telescope or its sort is hidden by a definition (`inductive P : Pred α`), it is reduced with variables, and
 * the constant gets the reduced type. A sort that appears only after reduction may be `Prop` for one argument and stuck
 * for another, equal argument; then data could be taken from a proof of the type (leanprover/lean4#14807). In the
 * environment every inductive type ends in a sort, whatever its arguments.
 */
import type { Checker } from '../check/checker.ts';
import { describe } from '../check/describe.ts';
import { type Expr, FORALL, SORT } from '../expr.ts';
import type { Level } from '../level.ts';
import { Rejection } from '../verdict.ts';
import { type Block, type CheckedBlock, type CheckedType, Occurrences } from './block.ts';

/** Checks the types and declares them provisionally, so that constructors may mention them. */
export function checkTypes(checker: Checker, block: Block): CheckedBlock {
  const { terms, environment, inference, order } = checker;
  const levels = terms.levels.list(block.levelParams.map((name) => terms.levels.parameter(name)));
  const parameters: Expr[] = [];
  const types: CheckedType[] = [];
  let level: Level | null = null;
  for (const declared of block.types) {
    const name = terms.names.print(declared.name);
    environment.requireFree(declared.name);
    inference.checkType(declared.type);
    const { type, indices, result } = openType(checker, block, declared.type, parameters, types.length === 0, name);
    if (terms.kind(result) !== SORT)
      throw new Rejection('inductive-type', `${name} ends in ${describe(checker, result)}, which is no sort`);
    const itsLevel = terms.level(result);
    if (level === null) level = itsLevel;
    else if (!order.isEqual(level, itsLevel))
      throw new Rejection('inductive-type', `${name} lives in another universe than the first type of its block`);
    types.push({ ...declared, type, constant: terms.constant(declared.name, levels), indices });
  }
  if (level === null) throw new Rejection('inductive-type', 'a block without types');
  const occurrences = new Occurrences(
    checker,
    types.map((type) => type.name),
  );
  const indices = new Map(types.map(({ constant }, at) => [constant, at]));
  const checked: CheckedBlock = {
    levelParams: block.levelParams,
    levels,
    parameters,
    types,
    indices,
    level,
    occurrences,
  };
  const isRecursive = types.some((type) => mentionsBlock(checker, type, occurrences));
  for (const type of types)
    environment.declareProvisionally({
      kind: 'inductive',
      name: type.name,
      levelParams: block.levelParams,
      type: type.type,
      parameters: block.parameters,
      indices: type.indices,
      constructors: type.constructors.map((maker) => maker.name),
      block: types.map((other) => other.name),
      isRecursive,
    });
  return checked;
}

/** Opens the reduced telescope. The first type makes the parameters, and the others must have the same. */
function openType(
  checker: Checker,
  block: Block,
  declared: Expr,
  parameters: Expr[],
  isFirst: boolean,
  name: string,
): { readonly type: Expr; readonly indices: number; readonly result: Expr } {
  const { terms, reduction, substitution, equality } = checker;
  let seen = 0;
  const locals: Expr[] = [];
  let isReduced = false;
  let type = declared;
  for (;;) {
    const reduced = reduction.whnf(type);
    isReduced ||= reduced !== type;
    type = reduced;
    if (terms.kind(type) !== FORALL) break;
    const domain = terms.binderType(type);
    let local: Expr;
    if (seen === block.parameters) {
      local = checker.local(domain);
    } else {
      if (isFirst) parameters.push(checker.local(domain));
      local = parameters[seen++]!;
      if (!isFirst && !equality.isEqual(domain, checker.localType(local)))
        throw new Rejection(
          'inductive-type',
          `parameter ${seen} of ${name} is of type ${describe(checker, domain)}, unlike that of the first type of its block`,
        );
    }
    locals.push(local);
    type = substitution.instantiate(terms.body(type), [local]);
  }
  if (seen !== block.parameters)
    throw new Rejection('inductive-type', `${name} has ${seen} parameters, not ${block.parameters}`);
  return {
    type: isReduced ? checker.forallOver(locals, type) : declared,
    indices: locals.length - block.parameters,
    result: type,
  };
}

/**
 * Whether a field of a constructor mentions a type of the block. One such field makes all types of the block recursive,
 * as in Lean.
 */
function mentionsBlock(checker: Checker, type: CheckedType, occurrences: Occurrences): boolean {
  const { terms } = checker;
  return type.constructors.some((maker) => {
    let rest = maker.type;
    for (; terms.kind(rest) === FORALL; rest = terms.body(rest))
      if (occurrences.in(terms.binderType(rest))) return true;
    return false;
  });
}
