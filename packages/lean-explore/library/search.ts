/**
 * The documented extension of the SFT set: a fixed list of short tactic scripts, filled with the variables and
 * functions of a statement. They are tried on library statements only (`search-main.ts`). A script that Lean accepts
 * and that the library does not contain becomes another example. This file writes text; Lean decides what a script
 * proves.
 *
 * The list contains a person's first attempts: evaluation, simplification with the definitions, arithmetic, cases,
 * induction with the alternatives written out or closed at once, and automation with every definition that the
 * statement uses.
 */
import { automationScripts } from './search/automation-scripts.ts';
import { dataVariables } from './search/datatypes.ts';
import { closedScripts, goalScripts, hypothesisScripts } from './search/plain-scripts.ts';
import type { SearchScript } from './search/script-text.ts';
import {
  caseScripts,
  generalizingScripts,
  inductionScripts,
  pairScripts,
  testScripts,
} from './search/structure-scripts.ts';
import { readSignature } from './search/theorem-signature.ts';

export type { SearchScript } from './search/script-text.ts';

/** Maximum number of variables that scripts split, in binder order: functions usually recurse on the first ones. */
const VARIABLES_MAX = 3;
const INDUCTION_VARIABLES_MAX = 2;
const AUTOMATION_VARIABLES_MAX = 2;
/** Maximum number of names in `simp [ … ]`. */
const FUNCTIONS_MAX = 6;

/**
 * Returns distinct scripts for `theorem NAME BINDERS : TYPE`, cheap ones first.
 *
 * @param definitions all definitions on which the statement depends, nearest first
 */
export function searchScripts(statement: string, definitions: readonly string[]): readonly SearchScript[] {
  const signature = readSignature(statement);
  const functions = signature.functions.slice(0, FUNCTIONS_MAX);
  const variables = dataVariables(signature.binders);
  const taken = variables.slice(0, VARIABLES_MAX);
  const recursive = variables.filter(({ isRecursive }) => isRecursive).slice(0, INDUCTION_VARIABLES_MAX);
  const scripts = [
    ...closedScripts(functions),
    ...hypothesisScripts(signature, functions),
    ...goalScripts(signature.goal, functions),
    ...taken.flatMap((variable) => caseScripts(variable, functions)),
    ...pairs(taken).flatMap(([first, second]) => pairScripts(first, second, functions)),
    ...recursive.flatMap((variable) => inductionScripts(variable, functions)),
    ...orderedPairs(recursive).flatMap(([first, second]) => generalizingScripts(first, second, functions)),
    ...testScripts(signature, variables, functions),
    ...automationScripts(definitions, signature.goal, variables.slice(0, AUTOMATION_VARIABLES_MAX)),
  ];
  const seen = new Set<string>();
  return scripts.filter(({ proof }) => !seen.has(proof) && seen.add(proof));
}

function pairs<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => [first, second] as const));
}

function orderedPairs<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return pairs(items).flatMap(([first, second]) => [[first, second] as const, [second, first] as const]);
}
