/**
 * The portfolio: a fixed list of short scripts, filled in with the names that a statement's context allows. Nothing is
 * learned, and nothing here knows a problem set. Lean decides what a script proves.
 */
import type { ContextBinder, StatementContext } from '../context/statement-context.ts';
import { type SearchScript, script, simp } from '../library/search/script-text.ts';

/** Raised with every change of the list, so that what was kept of an older one is not taken for this one's. */
export const PORTFOLIO_VERSION = 4;

/** Definitions in one pair of brackets, the nearest. */
const DEFINITIONS_MAX = 12;
/** Variables that induction is tried on, in the statement's order. */
const INDUCTION_VARIABLES_MAX = 3;
const CASE_VARIABLES_MAX = 3;
const PAIRS_MAX = 6;
const APPLICATIONS_MAX = 4;
/** Unused as a name by people: for binders that have none, or one that another hides. */
const FRESH = 'stp_h';
/** The smaller part of a step of induction, such as a list's tail; where there are several, the last. No name, no cases. */
const CASES_IN_STEP = '(try (rename_i stp_t _; cases stp_t))';

/** Stages of distinct scripts, cheap ones first: who is proved in one needs no later one. */
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
    .filter((one) => context.definitions.some(({ name, isRecursive }) => name === one.definition && isRecursive))
    .slice(0, APPLICATIONS_MAX)
    .map((one) => {
      const { written } = context.definitions.find(({ name }) => name === one.definition)!;
      return `fun_induction ${[written, ...one.arguments].join(' ')}`;
    });
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

/** A conjunction or an equivalence, in its parts. */
function parted({ core }: StatementContext, closers: ReturnType<typeof closersOf>): SearchScript[] {
  if (!core.includes('And') && !core.includes('Iff')) return [];
  return [closers.simp_all, closers.grind, 'omega'].map((tactic) =>
    script('parts', `parts, ${tactic.split(' ')[0]}`, `constructor <;> (try intro) <;> ${tactic}`),
  );
}

/** The binders that a script may name after it has introduced the remaining ones of the type under `names`. */
function introduced(all: readonly ContextBinder[]): { binders: readonly ContextBinder[]; names: readonly string[] } {
  const names: string[] = [];
  const binders = all.flatMap((binder, place): ContextBinder[] => {
    const isUsable = binder.name !== null && !binder.isShadowed;
    if (!binder.isIntroduced) names.push(isUsable ? binder.name! : `${FRESH}${place}`);
    return isUsable ? [{ ...binder, isIntroduced: true }] : [];
  });
  return { binders, names };
}

/** The binders that a script may name once it has introduced those of the type (`introducing`). */
export const usableBinders = ({ binders }: StatementContext): readonly ContextBinder[] => introduced(binders).binders;

/** Puts in front of a script what introduces the binders that the type still has. */
export function introducing({ binders }: StatementContext): (one: SearchScript) => SearchScript {
  const { names } = introduced(binders);
  return (one) => withNames(one, names);
}

function withNames(one: SearchScript, names: readonly string[]): SearchScript {
  return names.length === 0 ? one : { ...one, proof: `  intro ${names.join(' ')}\n${one.proof}` };
}
