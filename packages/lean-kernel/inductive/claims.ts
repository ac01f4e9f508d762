/**
 * Compares the source's other claims about a block (counts and recursors) with the derived values. The claims are not
 * used. A difference means that the source and this kernel disagree about the type.
 */
import type { Checker } from '../check/checker.ts';
import type { InductiveDeclaration, RecursorRecord } from '../declaration.ts';
import type { RecursorConstant } from '../environment.ts';
import type { Expr } from '../expr.ts';
import type { Name } from '../name.ts';
import { Rejection } from '../verdict.ts';

/** Rejects contradictory records, before anything is derived. */
export function checkRecords(checker: Checker, declaration: InductiveDeclaration): void {
  const { names } = checker.terms;
  const [first] = declaration.types;
  if (first === undefined) throw new Rejection('inductive-type', 'a block without types');
  const makers = new Map(declaration.constructors.map((maker) => [maker.name, maker]));
  if (makers.size !== declaration.constructors.length)
    throw new Rejection('constructor', 'the block has two constructors of one name');
  requireDistinct(checker, declaration);
  let seen = 0;
  for (const type of declaration.types) {
    const label = names.print(type.name);
    if (!sameNames(type.levelParams, first.levelParams))
      throw new Rejection(
        'level-parameters',
        `${label} has other universe parameters than the first type of its block`,
      );
    if (type.parameters !== first.parameters)
      throw new Rejection(
        'inductive-type',
        `${label} has ${type.parameters} parameters, the first type ${first.parameters}`,
      );
    for (const [index, name] of type.constructors.entries()) {
      const maker = makers.get(name);
      if (maker === undefined)
        throw new Rejection('constructor', `${names.print(name)} of ${label} is not in the block`);
      if (maker.inductive !== type.name || maker.index !== index)
        throw new Rejection(
          'constructor',
          `${names.print(name)} says it is of another type or place than ${label} says`,
        );
      if (!sameNames(maker.levelParams, first.levelParams))
        throw new Rejection('level-parameters', `${names.print(name)} has other universe parameters than its type`);
      seen++;
    }
  }
  if (seen !== declaration.constructors.length)
    throw new Rejection('constructor', 'the block has constructors that none of its types names, or one twice');
}

/** Requires that types, constructors and recursors have distinct names, none of which is taken. */
function requireDistinct({ environment, terms }: Checker, declaration: InductiveDeclaration): void {
  const { types, constructors, recursors } = declaration;
  const seen = new Set<Name>();
  for (const { name } of [...types, ...constructors, ...recursors]) {
    environment.requireFree(name);
    if (seen.has(name)) throw new Rejection('name', `${terms.names.print(name)} is declared twice in one block`);
    seen.add(name);
  }
}

/** Compares the claimed counts of types and constructors. */
export function compareCounts(checker: Checker, declaration: InductiveDeclaration): void {
  const { environment, terms } = checker;
  const differ = (name: Name, what: string, claimed: number, derived: number): void => {
    if (claimed !== derived)
      throw new Rejection('inductive-type', `${terms.names.print(name)} claims ${claimed} ${what} and has ${derived}`);
  };
  for (const type of declaration.types) {
    const constant = environment.get(type.name);
    if (constant.kind === 'inductive') differ(type.name, 'indices', type.indices, constant.indices);
  }
  for (const maker of declaration.constructors) {
    const constant = environment.get(maker.name);
    if (constant.kind !== 'constructor') continue;
    differ(maker.name, 'parameters', maker.parameters, constant.parameters);
    differ(maker.name, 'fields', maker.fields, constant.fields);
  }
}

/** Compares the claimed recursors, if any, with the derived ones, up to the names of universe parameters. */
export function compareRecursors(
  checker: Checker,
  claimed: readonly RecursorRecord[],
  derived: readonly RecursorConstant[],
): void {
  if (claimed.length === 0) return;
  const { names } = checker.terms;
  if (claimed.length !== derived.length)
    throw new Rejection('recursor', `${claimed.length} recursors are claimed, ${derived.length} follow from the types`);
  const byName = new Map(derived.map((recursor) => [recursor.name, recursor]));
  for (const claim of claimed) {
    const own = byName.get(claim.name);
    if (own === undefined)
      throw new Rejection('recursor', `no recursor ${names.print(claim.name)} follows from the types`);
    const difference = differenceOf(checker, claim, own);
    if (difference !== null)
      throw new Rejection('recursor', `${names.print(claim.name)}: ${difference} is not what follows from the types`);
  }
}

function differenceOf(checker: Checker, claim: RecursorRecord, own: RecursorConstant): string | null {
  const { terms, substitution, equality } = checker;
  for (const count of ['parameters', 'indices', 'motives', 'minors'] as const)
    if (claim[count] !== own[count]) return `the number of its ${count}`;
  if (claim.k !== own.k) return 'whether it is K-like';
  if (claim.levelParams.length !== own.levelParams.length) return 'the number of its universe parameters';
  if (new Set(claim.levelParams).size !== claim.levelParams.length) return 'its list of universe parameters';
  const levels = own.levelParams.map((name) => terms.levels.parameter(name));
  const isSame = (term: Expr, other: Expr): boolean => {
    if (terms.looseBound(term) > 0 || terms.freeBound(term) > 0) return false;
    const renamed = substitution.instantiateLevels(term, claim.levelParams, levels);
    return renamed === other || equality.isEqual(renamed, other);
  };
  if (!isSame(claim.type, own.type)) return 'its type';
  if (claim.rules.length !== own.rules.length) return 'the number of its rules';
  for (const [at, rule] of claim.rules.entries()) {
    const its = own.rules[at]!;
    const name = terms.names.print(its.constructor);
    if (rule.constructor !== its.constructor || rule.fields !== its.fields) return `the rule for ${name}`;
    if (!isSame(rule.value, its.value)) return `the value of the rule for ${name}`;
  }
  return null;
}

function sameNames(some: readonly Name[], others: readonly Name[]): boolean {
  return some.length === others.length && some.every((name, at) => name === others[at]);
}
