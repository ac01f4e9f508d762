/**
 * The space of actions: scripts composed of a beginning (nothing, cases, induction, …) and an end (a tactic, with the
 * statement's functions or its premises in brackets). It is several times as large as the list of scripts, so a ranker
 * must choose which actions come first.
 */
import type { ContextBinder, StatementContext } from '../context/statement-context.ts';
import { type SearchScript, simp } from '../library/search/script-text.ts';
import { inFixedOrder, RARE_BEGINNINGS } from './fixed-order.ts';
import { PREMISE_REST } from './premise-scripts.ts';
import { hasParts, introducing, usableBinders } from './scripts.ts';

export interface Action extends SearchScript {
  /**
   * Its parts in words that have the same meaning for all statements, for a ranker: `begins:induction`, `ends:grind`,
   * `names:premises`.
   */
  readonly parts: readonly string[];
}

/** A premise that an action may name. */
export interface OfferedPremise {
  /** Its name, as a proof writes it. */
  readonly written: string;
  /** How it relates to the statement, for a ranker (`Action.parts`). */
  readonly parts: readonly string[];
}

const FUNCTIONS_MAX = 6;
const VARIABLES_MAX = 3;
const HYPOTHESES_MAX = 2;
const PAIRS_MAX = 4;
const APPLICATIONS_MAX = 3;
/**
 * Maximum number of premises in one pair of brackets. `grind` with eight can take seconds without proving anything. A
 * chain with 24 takes four times as long as with eight, and proved no more.
 */
const TOGETHER_MAX = { simp: 8, grind: 3, chain: 8 } as const;

interface Beginning {
  readonly kind: string;
  /** Tactics to combine with the end by `<;>`; empty for none. */
  readonly text: string;
  /** Types of the variables that it splits. */
  readonly of: readonly string[];
}

interface End {
  readonly tactic: string;
  /** Kind of names in its brackets: `nothing`, `functions`, `premises`, `both`, `function`, `premise`. */
  readonly names: string;
  readonly text: string;
  readonly parts?: readonly string[];
}

/**
 * Returns distinct actions in the fixed order.
 * @param premises most likely first
 */
export function actionsFor(context: StatementContext, premises: readonly OfferedPremise[]): Action[] {
  const functions = functionsOf(context);
  const [plain, ...further] = beginningsFor(context);
  const written = premises.map((one) => one.written);
  const found = [
    ...plainEnds(functions).map((end) => action(plain!, end)),
    ...endsNaming(functions, written).map((end) => action(plain!, end)),
    ...chains(written).map((end) => action(plain!, end)),
    ...functions.flatMap((name) => oneFunction(name).map((end) => action(plain!, end))),
    ...premises.flatMap((premise, index) => onePremise(premise, index).map((end) => action(plain!, end))),
    ...further.flatMap((beginning) => {
      const ends = RARE_BEGINNINGS.has(beginning.kind)
        ? [...['simp_all', 'grind'].map(nothing), ...joinedChains(written)]
        : [...joinedEnds(functions), ...joinedNaming(functions, written), ...joinedChains(written)];
      return ends.map((end) => action(beginning, end));
    }),
  ];
  const seen = new Set<string>();
  const introduce = introducing(context);
  const distinct = found.flatMap((one) => {
    if (seen.has(one.proof)) return [];
    seen.add(one.proof);
    return [{ ...introduce(one), parts: one.parts }];
  });
  return inFixedOrder(distinct);
}

function action(beginning: Beginning, end: End): Action {
  const name = `${beginning.kind}, ${end.tactic}, ${end.names}`;
  return {
    script: name,
    family: beginning.kind,
    proof: `  ${beginning.text === '' ? end.text : `${beginning.text} <;> ${end.text}`}`,
    parts: [
      `begins:${beginning.kind}`,
      `ends:${end.tactic}`,
      `names:${end.names}`,
      ...beginning.of.map((type, index) => `takes${index}:${type}`),
      ...(end.parts ?? []),
    ],
  };
}

function plainEnds(functions: readonly string[]): End[] {
  return [
    ...['rfl', 'simp', 'simp_all', 'omega', 'decide', 'grind'].map(nothing),
    ...(functions.length === 0 ? [] : ['simp', 'simp_all', 'grind'].map((tactic) => over(tactic, functions))),
    arithmetic(functions),
    split(functions),
    { tactic: 'ext', names: 'nothing', text: 'ext <;> simp_all' },
    { tactic: 'ext grind', names: 'nothing', text: 'ext <;> grind' },
  ];
}

/** Ends after a beginning, which close each of its goals. */
function joinedEnds(functions: readonly string[]): End[] {
  return [
    ...['rfl', 'simp', 'simp_all', 'grind'].map(nothing),
    ...(functions.length === 0 ? [] : ['simp_all', 'grind'].map((tactic) => over(tactic, functions))),
    arithmetic(functions),
    split(functions),
  ];
}

function endsNaming(functions: readonly string[], premises: readonly string[]): End[] {
  if (premises.length === 0) return [];
  const some = premises.slice(0, TOGETHER_MAX.simp);
  const ends = [
    { tactic: 'simp', names: 'premises', text: simp(some) },
    { tactic: 'simp_all', names: 'premises', text: simp(some, 'simp_all') },
  ];
  const joined = joinedNaming(functions, premises);
  return functions.length === 0 ? [ends[0]!, ...joined] : [...ends, ...joined];
}

/** Ends after a beginning that name premises. `simp` alone is omitted here, because it proves nothing. */
function joinedNaming(functions: readonly string[], premises: readonly string[]): End[] {
  if (premises.length === 0) return [];
  const all = [...functions, ...premises.slice(0, TOGETHER_MAX.simp)];
  return [
    { tactic: 'simp_all', names: functions.length === 0 ? 'premises' : 'both', text: simp(all, 'simp_all') },
    { tactic: 'grind', names: 'premises', text: simp(premises.slice(0, TOGETHER_MAX.grind), 'grind') },
  ];
}

/**
 * Ends that apply premises and hypotheses backwards from the goal, in up to six steps. The other ends use each premise
 * once.
 */
function chains(premises: readonly string[]): End[] {
  if (premises.length === 0) return [];
  return [{ tactic: 'chain', names: 'premises', text: `intros <;> ${chain(premises)}` }, ...joinedChains(premises)];
}

const joinedChains = (premises: readonly string[]): End[] =>
  premises.length === 0
    ? []
    : [{ tactic: 'simp chain', names: 'premises', text: `(try simp_all) <;> ${chain(premises)}` }];

const chain = (premises: readonly string[]): string => simp(premises.slice(0, TOGETHER_MAX.chain), 'solve_by_elim');

function oneFunction(name: string): End[] {
  const parts = [`function:${name}`];
  return [
    { tactic: 'simp', names: 'function', text: simp([name]), parts },
    { tactic: 'unfold', names: 'function', text: `unfold ${name} <;> (try split) <;> simp_all`, parts },
  ];
}

function onePremise({ written, parts: related }: OfferedPremise, index: number): End[] {
  const parts = [`premise:${written}`, `rank:${index}`, ...related];
  const end = (tactic: string, text: string): End => ({
    tactic,
    names: 'premise',
    text,
    // A premise that suits `rw` need not suit `apply`.
    parts: [...parts, ...related.map((part) => `${tactic} ${part}`)],
  });
  return [
    end('simpa', `simpa using ${written} ..`),
    end('apply', `apply ${written} <;> ${PREMISE_REST}`),
    end('rw', `rw [${written}] <;> ${PREMISE_REST}`),
    end('rw←', `rw [← ${written}] <;> ${PREMISE_REST}`),
  ];
}

const nothing = (tactic: string): End => ({ tactic, names: 'nothing', text: tactic });
const over = (tactic: string, functions: readonly string[]): End => ({
  tactic,
  names: 'functions',
  text: simp(functions, tactic),
});
const arithmetic = (functions: readonly string[]): End => ({
  tactic: 'arithmetic',
  names: 'functions',
  text: `${simp(functions, 'simp_all')} <;> omega`,
});
function split(functions: readonly string[]): End {
  const simpAll = simp(functions, 'simp_all');
  const text = `(try ${simpAll}) <;> (try split) <;> (try ${simpAll}) <;> first | omega | ${simp(functions, 'grind')}`;
  return { tactic: 'split', names: 'functions', text };
}

/** Returns beginnings: none first, then by how much they split. */
function beginningsFor(context: StatementContext): Beginning[] {
  const binders = usableBinders(context);
  const all = binders.filter(({ kind, inductive }) => kind === 'variable' && inductive !== null);
  const variables = all.slice(0, VARIABLES_MAX);
  const recursive = all.filter(({ inductive }) => inductive!.isRecursive).slice(0, VARIABLES_MAX);
  const free = (...taken: readonly ContextBinder[]): string => {
    const names = binders.flatMap((one) => (one.kind === 'variable' && !taken.includes(one) ? [one.name!] : []));
    return names.length === 0 ? '' : ` generalizing ${names.join(' ')}`;
  };
  const type = ({ inductive }: ContextBinder): string => inductive?.name ?? 'nothing';
  const one = (kind: string, text: string, ...of: readonly ContextBinder[]): Beginning => ({
    kind,
    text,
    of: of.map(type),
  });
  const pairsOf = (firsts: readonly ContextBinder[]): [ContextBinder, ContextBinder][] =>
    firsts.flatMap((first) =>
      all.filter((second) => second !== first).map((second): [typeof first, typeof second] => [first, second]),
    );
  const caseSplits = pairsOf(variables).filter(([first, second]) => all.indexOf(first) < all.indexOf(second));
  return [
    { kind: 'nothing', text: '', of: [] },
    { kind: hasParts(context) ? 'constructor' : 'rare constructor', text: 'constructor <;> (try intro)', of: [] },
    ...(context.core.includes('Not') || context.core.includes('Ne')
      ? [{ kind: 'cases of a negation', text: 'intro stp_not <;> cases stp_not', of: [] }]
      : []),
    ...variables.map((its) => one('cases', `cases ${its.name!}`, its)),
    ...binders
      .filter(({ kind }) => kind === 'hypothesis')
      .slice(0, HYPOTHESES_MAX)
      .map((its) => one('cases of a hypothesis', `cases ${its.name!}`, its)),
    ...binders
      .filter(({ kind, inductive }) => kind === 'hypothesis' && inductive?.isRecursive)
      .slice(0, HYPOTHESES_MAX)
      .map((its) => one('induction on a hypothesis', `induction ${its.name!}`, its)),
    ...recursive.map((its) => one('induction', `induction ${its.name!}`, its)),
    ...recursive.flatMap((its) =>
      free(its) === '' ? [] : [one('induction generalizing', `induction ${its.name!}${free(its)}`, its)],
    ),
    ...caseSplits
      .slice(0, PAIRS_MAX)
      .map(([first, second]) => one('two cases', `cases ${first.name!} <;> cases ${second.name!}`, first, second)),
    ...functionalInductions(context),
    ...pairsOf(recursive)
      .slice(0, PAIRS_MAX)
      .map(([first, second]) =>
        one('induction and cases', `induction ${first.name!}${free(first)} <;> cases ${second.name!}`, first, second),
      ),
  ];
}

function functionalInductions({ applications, definitions }: StatementContext): Beginning[] {
  return applications.slice(0, APPLICATIONS_MAX).flatMap((one): Beginning[] => {
    const its = definitions.find(({ name, isRecursive }) => isRecursive && name === one.definition);
    if (its === undefined) return [];
    const text = `fun_induction ${[its.written, ...one.arguments].join(' ')}`;
    return [{ kind: 'functional induction', text, of: [] }];
  });
}

/** Returns names that `simp` may unfold: definitions near the statement, and core functions that it mentions. */
function functionsOf(context: StatementContext): string[] {
  const own = context.definitions.flatMap(({ kind, written }) => (kind === 'definition' ? [written] : []));
  const inductives = context.binders.flatMap(({ inductive }) => inductive ?? []);
  const constructors = new Set(inductives.flatMap(({ name, constructors: all }) => all.map((one) => `${name}.${one}`)));
  const types = new Set([...context.core, ...inductives.map(({ name }) => name)]);
  const classes = new Set(
    context.binders.flatMap(({ kind, typeHead }) => (kind === 'instance' && typeHead !== null ? [typeHead] : [])),
  );
  const core = context.core.filter((name) => {
    const dot = name.lastIndexOf('.');
    const [type, last] = [name.slice(0, dot), name.slice(dot + 1)];
    const isFunction = dot > 0 && /^\p{Ll}/u.test(last) && !last.startsWith('inst');
    return isFunction && types.has(type) && !classes.has(type) && !constructors.has(name) && !CONSTRUCTORS.has(name);
  });
  return [...own, ...core].slice(0, FUNCTIONS_MAX);
}

/** Constructors that a statement may mention without a variable of their type. */
const CONSTRUCTORS = new Set(
  'List.nil List.cons Option.none Option.some Nat.zero Nat.succ Bool.true Bool.false'.split(' '),
);
