/**
 * Converts the declaration of a block of inductive types to its constants: types, constructors, and the derived
 * recursors.
 */
import type { Checker } from '../check/checker.ts';
import type { InductiveDeclaration } from '../declaration.ts';
import type { Constant } from '../environment.ts';
import { Rejection } from '../verdict.ts';
import type { Block } from './block.ts';
import { checkRecursors } from './check-recursors.ts';
import { checkRecords, compareCounts, compareRecursors } from './claims.ts';
import { belowParameters, checkConstructors } from './constructors.ts';
import { flatten } from './nested.ts';
import { deriveRecursors } from './recursors.ts';
import { checkTypes } from './types.ts';

/** Checks the block. The constants are not declared yet, and the terms of recursors are in scratch. */
export function checkInductive(checker: Checker, declaration: InductiveDeclaration): readonly Constant[] {
  const { environment } = checker;
  checkRecords(checker, declaration);
  const block = blockOf(declaration);
  checker.levelParams = block.levelParams;
  const own = checkTypes(checker, block);
  // Check the constructors as written, before auxiliary types have names.
  for (const type of own.types)
    for (const maker of type.constructors) {
      checker.inference.checkType(maker.type);
      belowParameters(checker, own, maker.name, maker.type);
    }
  const flattened = flatten(checker, { ...block, types: own.types });
  const isNested = flattened.block.types.length > block.types.length;
  if (isNested) environment.dropProvisional();
  const checked = isNested ? checkTypes(checker, flattened.block) : own;
  checkConstructors(checker, checked);
  compareCounts(checker, declaration);
  const recursors = deriveRecursors(checker, checked, flattened.restoration(checked.parameters));
  for (const recursor of recursors) environment.requireFree(recursor.name);
  const constants = constantsOf(checker, block, recursors);
  // From here on the environment has the block as it will be declared, without auxiliary types.
  environment.dropProvisional();
  for (const constant of constants) environment.declareProvisionally(constant);
  const fresh = checker.anew();
  checkRecursors(fresh, recursors);
  compareRecursors(fresh, declaration.recursors, recursors);
  return constants;
}

function constantsOf(checker: Checker, block: Block, recursors: readonly Constant[]): readonly Constant[] {
  const { environment } = checker;
  const constants: Constant[] = [];
  for (const type of block.types) {
    const found = environment.get(type.name);
    if (found.kind === 'inductive') constants.push({ ...found, block: block.types.map((other) => other.name) });
    for (const maker of type.constructors) {
      const made = environment.get(maker.name);
      constants.push({ ...made, type: maker.type });
    }
  }
  constants.push(...recursors);
  requireDistinct(checker, constants);
  return constants;
}

function blockOf(declaration: InductiveDeclaration): Block {
  const first = declaration.types[0]!;
  const typeOf = new Map(declaration.constructors.map((maker) => [maker.name, maker.type]));
  return {
    levelParams: first.levelParams,
    parameters: first.parameters,
    types: declaration.types.map(({ name, type, constructors }) => ({
      name,
      type,
      constructors: constructors.map((maker) => ({ name: maker, type: typeOf.get(maker)! })),
    })),
  };
}

function requireDistinct(checker: Checker, constants: readonly Constant[]): void {
  const seen = new Set<number>();
  for (const { name } of constants) {
    if (seen.has(name))
      throw new Rejection('name', `${checker.terms.names.print(name)} is declared twice in one block`);
    seen.add(name);
  }
}
