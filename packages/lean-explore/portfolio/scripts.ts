/**
 * The portfolio: a fixed list of short scripts, filled with the names in a statement's context. It is not learned and
 * does not depend on a problem set. Lean decides what a script proves.
 */
import type { ContextApplication, ContextBinder, StatementContext } from '../context/statement-context.ts';
import { type SearchScript, script, simp } from '../library/search/script-text.ts';

/** Increment with every change of the list, so that results of another list are not reused. */
export const PORTFOLIO_VERSION = 4;

/** Maximum number of definitions in one pair of brackets; the nearest are used. */
const DEFINITIONS_MAX = 12;
/** Maximum number of variables on which induction is tried, in the statement's order. */
const INDUCTION_VARIABLES_MAX = 3;
const CASE_VARIABLES_MAX = 3;
const PAIRS_MAX = 6;
const APPLICATIONS_MAX = 4;
/** A name that people do not use, for binders without a name or hidden by another one. */
const FRESH = 'stp_h';
/**
 * Splits the smaller part in an induction step, such as a list's tail; if there are several, the last one. Without a
 * name there are no cases.
 */
const CASES_IN_STEP = '(try (rename_i stp_t _; cases stp_t))';

/** Stages of distinct scripts, cheap ones first. Once a stage proves the statement, later ones are not tried. */
export type PortfolioStages = readonly (readonly SearchScript[])[];

export function portfolioStages(context: StatementContext): PortfolioStages {
  const own = context.definitions.filter(({ kind }) => kind === 'definition').slice(0, DEFINITIONS_MAX);
  const definitions = own.map(({ written }) => written);
  const { binders, names } = introduced(context.binders);
  const variables = binders.filter(({ kind, inductive }) => kind === 'variable' && inductive !== null);
  const recursive = variables.filter(({ inductive }) => inductive!.isRecursive).slice(0, INDUCTION_VARIABLES_MAX);
  const closers = closersOf(definitions);
  const others = (...taken: readonly string[]): string[] =>
    binders.flatMap(({ name, kind }) => (kind === 'variable' && !taken.includes(name!) ? [name!] : []));
  const generalizing = (free: readonly string[]): string =>
    free.length === 0 ? '' : ` generalizing ${free.join(' ')}`;
  const after = (family: string, head: string, which: readonly (keyof typeof closers)[]): SearchScript[] =>
    which.map((closer) => script(family, `${family}, ${closer}`, `${head} <;> ${closers[closer]}`));

  const single = recursive.map(({ name }) => {
    const heads = new Set([`induction ${name!}`, `induction ${name!}${generalizing(others(name!))}`]);
    return [...heads];
  });
  const pairs = recursive
    .flatMap((first) => variables.filter((second) => second !== first).map((second) => [first.name!, second.name!]))
    .slice(0, PAIRS_MAX)
    .map(([first, second]) => `induction ${first}${generalizing(others(first!))} <;> cases ${second}`);
  const casesOf = (those: readonly ContextBinder[]): string[] =>
    those.slice(0, CASE_VARIABLES_MAX).map(({ name }) => `cases ${name!}`);
  const allCases = recursive.flatMap((first) => {
    const rest = casesOf(variables.filter((other) => other !== first));
    if (rest.length === 0) return [];
    return [[`induction ${first.name!}${generalizing(others(first.name!))}`, ...rest].join(' <;> ')];
  });
  const cases = casesOf(variables);
  if (recursive.length === 0 && cases.length > 0) allCases.push(cases.join(' <;> '));
  const caseHeads = [...cases, ...cases.slice(1).map((second, index) => `${cases[index]} <;> ${second}`)];
  const functional = context.applications
    .filter((one) => one.isRecursive && context.definitions.some(({ name }) => name === one.definition))
    .slice(0, APPLICATIONS_MAX)
    .map(functionalInduction);
  const stages = [
    [...plain(definitions), ...parted(context, closers)],
    [...single.flatMap((heads) => after('induction', heads.at(-1)!, ['simp_all', 'grind']))],
    [...allCases.flatMap((head) => after('induction and cases', head, ['simp_all', 'grind']))],
    [...functional.flatMap((head) => after('functional induction', head, ['grind', 'simp_all']))],
    [...single.flatMap((heads) => after('cases in the step', `${heads.at(-1)!} <;> ${CASES_IN_STEP}`, ['grind']))],
    [
      ...single.flatMap((heads) => after('induction', heads[0]!, ['simp_all', 'grind'])),
      ...caseHeads.flatMap((head) => after('cases', head, ['simp_all', 'grind'])),
    ],
    [
      ...single.flatMap((heads) => after('induction', heads.at(-1)!, ['arithmetic', 'mixed'])),
      ...pairs.flatMap((head) => after('induction and cases', head, ['simp_all', 'grind'])),
    ],
    [
      ...functional.flatMap((head) => after('functional induction', head, ['mixed'])),
      ...caseHeads.flatMap((head) => after('cases', head, ['mixed'])),
      ...pairs.flatMap((head) => after('induction and cases', head, ['mixed'])),
    ],
  ];
  const seen = new Set<string>();
  return stages.map((stage) =>
    stage.map((one) => withNames(one, names)).filter(({ proof }) => !seen.has(proof) && seen.add(proof)),
  );
}

function closersOf(definitions: readonly string[]) {
  const simpAll = simp(definitions, 'simp_all');
  const grind = simp(definitions, 'grind');
  return {
    simp_all: simpAll,
    grind,
    arithmetic: `${simpAll} <;> omega`,
    mixed: `(try ${simpAll}) <;> (try split) <;> (try ${simpAll}) <;> first | omega | ${grind}`,
  };
}

function plain(definitions: readonly string[]): SearchScript[] {
  const named = (definitions.length === 0 ? [] : ['simp', 'simp_all', 'grind']).map((tactic) =>
    script('plain', `definitions, ${tactic}`, simp(definitions, tactic)),
  );
  return [
    ...['rfl', 'decide', 'omega', 'simp', 'simp_all', 'grind'].map((tactic) => script('plain', tactic, tactic)),
    ...named,
    script('plain', 'simp_all, then omega', simp(definitions, 'simp_all'), 'omega'),
  ];
}

export const functionalInduction = (one: ContextApplication): string =>
  `fun_induction ${[one.written, ...one.arguments].join(' ')}`;

/** Whether the statement mentions a conjunction or an equivalence. */
export const hasParts = ({ core }: StatementContext): boolean => core.includes('And') || core.includes('Iff');

/** Scripts that split a conjunction or an equivalence. */
function parted(context: StatementContext, closers: ReturnType<typeof closersOf>): SearchScript[] {
  if (!hasParts(context)) return [];
  return [closers.simp_all, closers.grind, 'omega'].map((tactic) =>
    script('parts', `parts, ${tactic.split(' ')[0]}`, `constructor <;> (try intro) <;> ${tactic}`),
  );
}

/**
 * Returns the name by which a script knows a binder. One of the type that has no usable name is introduced with a fresh
 * one. Null: it cannot be named.
 */
function nameOf({ name, isShadowed, isIntroduced }: ContextBinder, index: number): string | null {
  if (name !== null && !isShadowed) return name;
  return isIntroduced ? null : `${FRESH}${index}`;
}

/** Returns the binders with names of their own, and the names with which those of the type are introduced. */
function introduced(all: readonly ContextBinder[]): { binders: readonly ContextBinder[]; names: readonly string[] } {
  return {
    binders: all.filter(({ name, isShadowed }) => name !== null && !isShadowed).map(asIntroduced),
    names: all.flatMap((binder, index) => (binder.isIntroduced ? [] : nameOf(binder, index)!)),
  };
}

const asIntroduced = (binder: ContextBinder): ContextBinder => ({ ...binder, isIntroduced: true });

/**
 * Returns the binders that an action may name after introducing those of the type (`introducing`), also those that have
 * no name in the statement.
 */
export const usableBinders = ({ binders }: StatementContext): readonly ContextBinder[] =>
  binders.flatMap((binder, index) => {
    const name = nameOf(binder, index);
    return name === null ? [] : asIntroduced({ ...binder, name, isShadowed: false });
  });

/** Returns a function that prefixes a script with tactics that introduce the type's remaining binders. */
export function introducing({ binders }: StatementContext): (one: SearchScript) => SearchScript {
  const { names } = introduced(binders);
  return (one) => withNames(one, names);
}

function withNames(one: SearchScript, names: readonly string[]): SearchScript {
  return names.length === 0 ? one : { ...one, proof: `  intro ${names.join(' ')}\n${one.proof}` };
}
