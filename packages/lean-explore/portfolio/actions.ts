/**
 * The space of actions: scripts composed of a beginning (nothing, cases, induction, …) and an end (a tactic, with the
 * statement's functions or its premises in brackets). It is several times as large as the list of scripts, so a ranker
 * must choose which actions come first.
 */
import type { ContextBinder, StatementContext } from '../context/statement-context.ts';
import { type SearchScript, simp } from '../library/search/script-text.ts';
import { inFixedOrder, RARE_BEGINNINGS } from './fixed-order.ts';
import { PREMISE_REST } from './premise-scripts.ts';
import { functionalInduction, hasParts, introducing, usableBinders } from './scripts.ts';

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

/** Theorems that reduce relations between values to relations between images, such as their underlying numbers. */
export interface OfferedImage {
  readonly transfers: readonly {
    readonly written: string;
    readonly relation: string;
    /** The image of `·`, such as `·.toNat`. */
    readonly image: string;
    /** The side of the equivalence that has the values; null: a rule. */
    readonly valuesOn: 'left' | 'right' | null;
  }[];
  /** Equations that move the function inwards: `(a + b).toNat = (a.toNat + b.toNat) % 2 ^ w`. */
  readonly pushes: readonly string[];
  /** Equations for the functions that these bring in. */
  readonly further: readonly string[];
  /** Theorems of the statement's form, which may hold for the images. */
  readonly analogues: readonly string[];
}

/** An equation that rewrites a part of the statement. */
export interface OfferedRule {
  readonly written: string;
  /** Functions of its right side that the statement does not mention. */
  readonly brings: readonly string[];
}

const FUNCTIONS_MAX = 6;
const VARIABLES_MAX = 3;
const HYPOTHESES_MAX = 2;
const PAIRS_MAX = 4;
/** Most pushes that are told apart. */
const PUSHES_TOLD_MAX = 3;
const APPLICATIONS_MAX = 2;
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
  /** Kind of names in its brackets: `nothing`, `functions`, `predicates`, `premises`, `both`, `function`, `premise`. */
  readonly names: string;
  readonly text: string;
  readonly parts?: readonly string[];
}

/** Names that ends may put in brackets. */
interface Names {
  /** Definitions that `simp` may unfold. */
  readonly functions: readonly string[];
  /** Inductive predicates, whose constructors `grind` applies. */
  readonly predicates: readonly string[];
  /** Constructors that a chain may apply, of these predicates and of connectives. */
  readonly constructors: readonly string[];
  /** Most likely first. */
  readonly premises: readonly string[];
  /** `grind`, without the solvers that the imports lack. */
  readonly grind: string;
  /** Functions for the brackets of `grind`. */
  readonly grindable: readonly string[];
}

/**
 * Returns distinct actions in the fixed order.
 * @param premises most likely first
 */
export function actionsFor(
  context: StatementContext,
  premises: readonly OfferedPremise[],
  images: readonly OfferedImage[] = [],
  rules: readonly OfferedRule[] = [],
): Action[] {
  const names = namesFor(
    context,
    premises.map((one) => one.written),
  );
  const [plain, ...further] = beginningsFor(context);
  const found = [
    ...plainEnds(names).map((end) => action(plain!, end)),
    ...endsNaming(names).map((end) => action(plain!, end)),
    ...chains(names).map((end) => action(plain!, end)),
    ...images.flatMap((image) => transferring(image, context)).map((end) => action(plain!, end)),
    ...rules.map((rule, index) => action(plain!, rewriting(rule, index, names))),
    ...names.functions.flatMap((name) => oneFunction(name).map((end) => action(plain!, end))),
    ...premises.flatMap((premise, index) => onePremise(premise, index).map((end) => action(plain!, end))),
    ...further.flatMap((beginning) => {
      const ends = RARE_BEGINNINGS.has(beginning.kind)
        ? [nothing('simp_all'), grinding(names), ...joinedChains(names)]
        : [...joinedEnds(names), ...joinedNaming(names), ...joinedChains(names)];
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

function plainEnds(names: Names): End[] {
  const { functions } = names;
  return [
    ...['rfl', 'simp', 'simp_all', 'omega', 'decide'].map(nothing),
    grinding(names),
    ...(functions.length === 0 ? [] : ['simp', 'simp_all'].map((tactic) => over(tactic, functions))),
    ...grindingOver(names),
    arithmetic(functions),
    split(names),
    { tactic: 'ext', names: 'nothing', text: 'ext <;> simp_all' },
    { tactic: 'ext grind', names: 'nothing', text: `ext <;> ${names.grind}` },
  ];
}

/** Ends after a beginning, which close each of its goals. */
function joinedEnds(names: Names): End[] {
  const { functions } = names;
  return [
    ...['rfl', 'simp', 'simp_all'].map(nothing),
    grinding(names),
    ...(functions.length === 0 ? [] : [over('simp_all', functions)]),
    ...grindingOver(names),
    arithmetic(functions),
    split(names),
  ];
}

function endsNaming(names: Names): End[] {
  const { functions, premises } = names;
  if (premises.length === 0) return [];
  const some = premises.slice(0, TOGETHER_MAX.simp);
  const ends = [
    { tactic: 'simp', names: 'premises', text: simp(some) },
    { tactic: 'simp_all', names: 'premises', text: simp(some, 'simp_all') },
  ];
  const joined = joinedNaming(names);
  return functions.length === 0 ? [ends[0]!, ...joined] : [...ends, ...joined];
}

/** Ends after a beginning that name premises. `simp` alone is omitted here, because it proves nothing. */
function joinedNaming({ functions, premises, grind }: Names): End[] {
  if (premises.length === 0) return [];
  const all = [...functions, ...premises.slice(0, TOGETHER_MAX.simp)];
  return [
    { tactic: 'simp_all', names: functions.length === 0 ? 'premises' : 'both', text: simp(all, 'simp_all') },
    { tactic: 'grind', names: 'premises', text: simp(premises.slice(0, TOGETHER_MAX.grind), grind) },
  ];
}

/**
 * Ends that apply constructors, premises and hypotheses backwards from the goal, in up to six steps. The other ends use
 * each of these once.
 */
function chains(names: Names): End[] {
  return [...chain('chain', 'intros', names), ...joinedChains(names)];
}

const joinedChains = (names: Names): End[] => chain('simp chain', '(try simp_all)', names);

function chain(tactic: string, first: string, { constructors, premises }: Names): End[] {
  const rules = [...constructors.slice(0, TOGETHER_MAX.chain), ...premises.slice(0, TOGETHER_MAX.chain)];
  if (rules.length === 0) return [];
  return [{ tactic, names: 'premises', text: `${first} <;> ${simp(rules, 'solve_by_elim')}` }];
}

/**
 * Ends that reduce all relations in the goal and the hypotheses to relations between images. In a single pass, since an
 * image of the same type, such as `xs.reverse`, would be reduced again without end.
 */
function transferring({ transfers, pushes, further, analogues }: OfferedImage, { core }: StatementContext): End[] {
  const parts = [
    ...new Set(transfers.flatMap(({ relation, image }) => [`image:${image}`, `transfers:${relation}`])),
    `pushes:${Math.min(PUSHES_TOLD_MAX, pushes.length)}`,
  ];
  const inwards = pushes.length === 0 ? '' : `(try ${simp(pushes, 'simp only')} at *) <;> `;
  const exact = analogues.map((written) => `exact ${written} .. | `).join('');
  const rest = `${inwards}first | ${exact}((try ${simp(further, 'simp_all')}) <;> omega)`;
  const rewrites = transfers.flatMap(({ written, valuesOn }) =>
    valuesOn === null ? [] : [valuesOn === 'left' ? written : `← ${written}`],
  );
  if (rewrites.length > 0) {
    const all = core.includes('Ne') ? ['Ne', ...rewrites] : rewrites;
    const text = `${simp(all, 'simp +singlePass only')} at * <;> ${rest}`;
    return [{ tactic: 'transfer', names: 'premises', text, parts }];
  }
  const [rule] = transfers;
  return rule === undefined
    ? []
    : [{ tactic: 'transfer rule', names: 'premises', text: `apply ${rule.written} <;> ${rest}`, parts }];
}

/**
 * An end that rewrites by one equation, unfolds what that brings in, and splits conditions on both sides. It names one
 * equation alone, since a more general one would rewrite the same term in another way.
 */
function rewriting({ written, brings }: OfferedRule, index: number, { grind }: Names): End {
  const text = splitting([written, ...brings], 2, grind);
  return { tactic: 'rule', names: 'premise', text, parts: [`premise:${written}`, `rank:${index}`] };
}

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
const grinding = ({ grind }: Names): End => ({ tactic: 'grind', names: 'nothing', text: grind });
/** Ends by `grind` over the functions, and over the predicates as well. */
function grindingOver({ grind, grindable, predicates }: Names): End[] {
  const end = (names: string, own: readonly string[]): End => ({ tactic: 'grind', names, text: simp(own, grind) });
  return [
    ...(grindable.length === 0 ? [] : [end('functions', grindable)]),
    ...(predicates.length === 0 ? [] : [end('predicates', [...predicates, ...grindable])]),
  ];
}
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
const split = ({ functions, grind, grindable }: Names): End => ({
  tactic: 'split',
  names: 'functions',
  text: splitting(functions, 1, simp(grindable, grind)),
});

/** Simplifies before and after it splits conditions, up to so many times. */
function splitting(names: readonly string[], times: number, grind: string): string {
  const simpAll = `(try ${simp(names, 'simp_all')})`;
  const splits = Array<string>(times).fill('(try split)');
  return [simpAll, ...splits, simpAll, `first | omega | ${grind}`].join(' <;> ');
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
    ...(context.core.includes('Iff')
      ? [{ kind: 'cases of each direction', text: 'constructor <;> intro stp_one <;> cases stp_one', of: [] }]
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

/** Those with most arguments come first, since `induction` follows the recursion on a single one. */
function functionalInductions({ applications }: StatementContext): Beginning[] {
  return applications
    .filter(({ isRecursive }) => isRecursive)
    .sort((one, other) => other.arguments.length - one.arguments.length)
    .slice(0, APPLICATIONS_MAX)
    .map((one) => ({ kind: 'functional induction', text: functionalInduction(one), of: [] }));
}

function namesFor(context: StatementContext, premises: readonly string[]): Names {
  const { predicates, core, binders, grind, unfoldsToCond } = context;
  const functions = functionsOf(context);
  const inductive = predicates.filter(({ constructors }) => constructors.length > 0);
  const ofConnectives = Object.entries(INTRODUCTIONS).flatMap(([name, all]) => (core.includes(name) ? all : []));
  const hasNumbers = binders.some(({ inductive: type }) => type?.name === 'Nat');
  return {
    functions,
    predicates: inductive.map(({ name }) => name),
    constructors: [
      ...inductive.flatMap(({ constructors }) => constructors),
      ...ofConnectives,
      ...(hasNumbers ? ['congrArg Nat.succ'] : []),
    ],
    premises,
    grind,
    grindable: unfoldsToCond ? [...functions, 'Bool.cond_eq_ite'] : functions,
  };
}

/** Constructors that a chain applies where a statement has the connective. */
const INTRODUCTIONS: Readonly<Record<string, readonly string[]>> = {
  Or: ['Or.inl', 'Or.inr'],
  And: ['And.intro'],
  Iff: ['Iff.intro'],
};

/** Returns names that `simp` may unfold: definitions near the statement, and core functions that it mentions. */
function functionsOf({ definitions, predicates, coreFunctions }: StatementContext): string[] {
  const own = definitions.flatMap(({ kind, written }) => (kind === 'definition' ? [written] : []));
  const defined = predicates.flatMap(({ name, constructors }) => (constructors.length === 0 ? [name] : []));
  return [...new Set([...own, ...defined, ...coreFunctions])].slice(0, FUNCTIONS_MAX);
}
