/**
 * Features of statements and actions for the ranker of actions (`prover.actions: learned`). Most describe the form of a
 * statement, so what is learned on one module holds on others.
 */
import { actionPrice, type ContextBinder, type StatementContext } from '@stp/lean-explore';
import {
  type ActionFeatures,
  actionFeatures,
  fixedPrior,
  hashedTokens,
  statedTerms,
  statementForm,
} from '@stp/selfplay';
import { signatureOf } from '../../theorem-text.ts';

/** Larger counts are not told apart. */
const COUNT_MAX = 3;
/**
 * Most constants of a statement that are paired with an action's parts, so a long statement does not count more than a
 * short one.
 */
const CONSTANTS_MAX = 23;

/** Returns a statement's tokens: its size, its form, and the constants that it mentions. */
export function statementTokens(statement: string, context: StatementContext): string[] {
  const { binders, applications, coreFunctions, predicates, core, definitions, grind } = context;
  const signature = signatureOf(statement);
  const { relation, hypotheses } = statedTerms(signature);
  const count = (kind: ContextBinder['kind']): number => binders.filter((one) => one.kind === kind).length;
  const counts = {
    arrows: hypotheses,
    variables: count('variable'),
    recursive: binders.filter(({ kind, inductive }) => kind === 'variable' && inductive?.isRecursive).length,
    hypotheses: count('hypothesis'),
    functions: count('function'),
    instances: count('instance'),
    applied: applications.filter(({ isRecursive }) => isRecursive).length,
    unfolds: coreFunctions.length,
    predicates: predicates.length,
  };
  return [
    `size:${Math.round(Math.log2(statement.length))}`,
    `concludes:${relation}`,
    `form:${statementForm(signature)}`,
    `grind:${grind}`,
    ...Object.entries(counts).map(([name, own]) => `${name}:${Math.min(COUNT_MAX, own)}`),
    ...[...core, ...definitions.map(({ name }) => name)].slice(0, CONSTANTS_MAX),
  ];
}

interface OrderedAction {
  readonly parts: readonly string[];
  /** Sum of the prices of the actions before it in the fixed order, ms. */
  readonly before: number;
}

/**
 * Returns a function that describes a statement's actions.
 *
 * @param tokens value of `statementTokens`
 */
export function featuresOn(tokens: readonly string[]): (action: OrderedAction) => ActionFeatures {
  const hashes = hashedTokens(tokens);
  return ({ parts, before }) =>
    actionFeatures(fixedPrior(actionPrice(parts), before), hashes, [
      ...parts,
      `after:${Math.round(Math.log2(before + FIRST_MS))}`,
    ]);
}
/** Actions within the first milliseconds of the fixed order are not told apart. */
const FIRST_MS = 10;
