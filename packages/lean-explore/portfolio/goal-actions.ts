/**
 * The actions that a search tries on one goal: steps that take it apart, steps with a premise or a hypothesis, and tactics that may
 * close it. They are made from the goal as Lean prints it, so they fit goals that no statement has.
 */
import type { ShownGoal } from '@stp/config/records';
import { simp } from '../library/search/script-text.ts';
import type { OfferedPremise } from './actions.ts';
import { PREMISE_REST } from './premise-scripts.ts';

export interface GoalAction {
  readonly tactic: string;
  /** What it is made of, in words that mean the same for all goals, its kind first: `does:rw`, `names:premise`, `on:nothing`. */
  readonly parts: readonly string[];
}

const VARIABLES_MAX = 5;
const HYPOTHESES_MAX = 6;
const FUNCTIONS_MAX = 5;
const CONDITIONS_MAX = 2;
const WITNESSES_MAX = 3;
/** Premises in one pair of brackets. */
const TOGETHER = { simp: 8, grind: 3 } as const;

/** Types whose values can be taken apart, by how their names begin in print. */
const DATA = /^(List|Option|Nat|Bool|Prod|Sum|Array|Fin|Vector|Subtype|Ordering|Except)\b/u;
const PRODUCT = /^[\p{L}_.']+ (×|⊕) /u;
const RECURSIVE = new Set(['List', 'Nat']);
const PROPOSITION = /[=≠≤<≥>∈∉∧∨↔¬∃∀~⊆]|^False$|^True$/u;
const INACCESSIBLE = /✝/u;
/** `List.map`, but no constructor, instance or type. */
const FUNCTION = /\b(?:\p{Lu}[\p{L}\p{N}_]*\.)+\p{Ll}[\p{L}\p{N}_'!?]*/gu;
const CONSTRUCTORS = new Set([
  'List.nil',
  'List.cons',
  'Option.none',
  'Option.some',
  'Nat.zero',
  'Nat.succ',
  'Bool.true',
  'Bool.false',
]);
const CONDITION = /\bif (?:\w+ : )?([^?]+?) then\b/gu;

/** @param premises for this goal, the most likely first */
export function goalActions(goal: ShownGoal, premises: readonly OfferedPremise[]): GoalAction[] {
  const actions = [
    ...closers(
      goal,
      premises.map(({ written }) => written),
    ),
    ...takingApart(goal),
    ...propositions(goal).flatMap(([name, type]) => withHypothesis(name, type)),
    ...premises.flatMap((premise, rank) => withPremise(premise, rank)),
  ];
  const seen = new Set<string>();
  return actions.filter(({ tactic }) => !seen.has(tactic) && seen.add(tactic));
}

const action = (tactic: string, does: string, names: string, on = 'nothing', ...more: string[]): GoalAction => ({
  tactic,
  parts: [`does:${does}`, `names:${names}`, `on:${on}`, ...more],
});

function closers(goal: ShownGoal, premises: readonly string[]): GoalAction[] {
  const functions = functionsIn(goal.target);
  const plain = [
    'rfl',
    'simp',
    'simp_all',
    'grind',
    'omega',
    'decide',
    'assumption',
    'contradiction',
    'ac_rfl',
    'simp [*]',
  ];
  const some = premises.slice(0, TOGETHER.simp);
  return [
    ...plain.map((tactic) => action(tactic, tactic, 'nothing')),
    action('simp_all <;> omega', 'simp_all, omega', 'nothing'),
    ...(functions.length === 0
      ? []
      : ['simp', 'simp_all', 'grind'].map((tactic) => action(simp(functions, tactic), tactic, 'functions'))),
    ...functions.flatMap((name) => [
      action(`unfold ${name}`, 'unfold', 'function', 'nothing', `function:${name}`),
      action(`simp only [${name}]`, 'simp only', 'function', 'nothing', `function:${name}`),
      action(`fun_cases ${name}`, 'fun_cases', 'function', 'nothing', `function:${name}`),
    ]),
    ...(some.length === 0
      ? []
      : [
          action(simp(some, 'simp'), 'simp', 'premises'),
          action(simp(some, 'simp_all'), 'simp_all', 'premises'),
          action(simp(premises.slice(0, TOGETHER.grind), 'grind'), 'grind', 'premises'),
        ]),
  ];
}

/** What a step that takes a goal apart ends with, on all goals that it makes; what fails there changes nothing. */
function endsFor(functions: readonly string[]): { readonly name: string; readonly text: string }[] {
  return [
    { name: 'nothing', text: '' },
    { name: 'rfl', text: ' <;> (try rfl)' },
    { name: 'simp_all', text: ' <;> (try simp_all)' },
    ...(functions.length === 0
      ? []
      : [{ name: 'simp_all functions', text: ` <;> (try ${simp(functions, 'simp_all')})` }]),
    { name: 'grind', text: ' <;> (try grind)' },
    { name: 'arithmetic', text: ' <;> (try simp_all) <;> (try omega)' },
  ];
}

function takingApart(goal: ShownGoal): GoalAction[] {
  const ends = endsFor(functionsIn(goal.target));
  return beginnings(goal).flatMap(({ text, does, on }) =>
    (on === 'goal' ? ends.filter(({ name }) => SOME_ENDS.has(name)) : ends).map((end) =>
      action(`${text}${end.text}`, does, end.name, on),
    ),
  );
}

/** Ends behind a step that makes few goals of few kinds. */
const SOME_ENDS = new Set(['nothing', 'simp_all', 'grind']);

interface Beginning {
  readonly text: string;
  readonly does: string;
  readonly on: string;
}

function beginnings(goal: ShownGoal): Beginning[] {
  const { target } = goal;
  const variables = variablesOf(goal);
  const names = variables.map(([name]) => name);
  const make = (text: string, does: string, on = 'goal'): Beginning => ({ text, does, on });
  const conditions = [...target.matchAll(CONDITION)].slice(0, CONDITIONS_MAX).map((match) => match[1]!);
  const cases = variables.map(([name, type]) => make(`unhygienic cases ${name}`, 'cases', type));
  return [
    ...(/[∀→]/u.test(target) ? [make('unhygienic intros', 'intros')] : []),
    ...(/¬|≠/u.test(target) ? [make('intro hn', 'intro')] : []),
    ...(/⊆/u.test(target) ? [make('intro a ha', 'intro two')] : []),
    ...(/[∧↔∃∈]/u.test(target) || !/[=≤<≠]/u.test(target) ? [make('constructor', 'constructor')] : []),
    ...(/∃/u.test(target)
      ? named(goal.hypotheses)
          .slice(-WITNESSES_MAX)
          .map(([name]) => make(`exists ${name}`, 'exists'))
      : []),
    ...(/∨/u.test(target) ? [make('left', 'left'), make('right', 'right')] : []),
    ...(/\b(if|match)\b|\bdite\b/u.test(target) ? [make('unhygienic split', 'split', 'if')] : []),
    ...conditions.map((condition) => make(`by_cases hc : ${condition}`, 'by_cases', 'if')),
    ...equalities(goal).map((condition) => make(`by_cases he : ${condition}`, 'by_cases', 'equality')),
    ...(/=|⊆/u.test(target)
      ? [make('unhygienic ext', 'ext'), make('congr 1', 'congr'), make('unhygienic funext', 'funext')]
      : []),
    ...cases,
    ...(cases.length >= 2 ? [make(`${cases[0]!.text} <;> ${cases[1]!.text}`, 'two cases')] : []),
    ...variables.flatMap(([name, type]) => {
      if (!RECURSIVE.has(type)) return [];
      const others = names.filter((other) => other !== name);
      return [
        make(`unhygienic induction ${name}`, 'induction', type),
        ...(others.length === 0
          ? []
          : [make(`unhygienic induction ${name} generalizing ${others.join(' ')}`, 'induction generalizing', type)]),
      ];
    }),
  ];
}

/** Whether two values of a type without structure are equal: pairs that the target mentions. */
function equalities({ hypotheses, target }: ShownGoal): string[] {
  const words = new Set(target.match(/[\p{L}_][\p{L}\p{N}_'₀-₉]*/gu) ?? []);
  const plain = named(hypotheses).filter(([name, type]) => /^[\p{L}]['₀-₉]*$/u.test(type) && words.has(name));
  return plain
    .flatMap(([one, type], at) =>
      plain.slice(at + 1).flatMap(([other, its]) => (its === type ? [`${one} = ${other}`] : [])),
    )
    .slice(0, CONDITIONS_MAX);
}

function withHypothesis(name: string, type: string): GoalAction[] {
  const shape = shapeOf(type);
  const parts = [`says:${shape}`, ...(/ih\d*$/u.test(name) ? ['hypothesis:ih'] : [])];
  const make = (tactic: string, does: string): GoalAction => action(tactic, does, 'hypothesis', 'nothing', ...parts);
  return [
    make(`exact ${name}`, 'exact'),
    make(`apply ${name} <;> (try (${PREMISE_REST}))`, 'apply'),
    make(`rw [${name}] <;> (try (${PREMISE_REST}))`, 'rw'),
    make(`rw [← ${name}] <;> (try (${PREMISE_REST}))`, 'rw←'),
    make(`simp [${name}]`, 'simp'),
    make(`simp only [${name}]`, 'simp only'),
    make(`simp at ${name}`, 'simp at'),
    ...(/^[^∀→]*[∧∨∃=<≤∈]|^[\p{Lu}]/u.test(type) ? [make(`unhygienic cases ${name} <;> (try simp_all)`, 'cases')] : []),
    ...(/ = /u.test(type) ? [make(`subst ${name}`, 'subst')] : []),
    ...(/\bif\b|\bmatch\b/u.test(type) ? [make(`unhygienic split at ${name}`, 'split at')] : []),
  ];
}

function withPremise({ written, signature }: OfferedPremise, rank: number): GoalAction[] {
  const shape = shapeOf(signature);
  const bucket = rank < 2 ? `${rank}` : rank < 4 ? '2-3' : rank < 8 ? '4-7' : rank < 16 ? '8-15' : '16-';
  const parts = [`premise:${written}`, `rank:${bucket}`, `says:${shape}`];
  const make = (tactic: string, does: string): GoalAction => action(tactic, does, 'premise', 'nothing', ...parts);
  return [
    make(`apply ${written} <;> (try (${PREMISE_REST}))`, 'apply'),
    ...(shape === 'other'
      ? []
      : [
          make(`rw [${written}] <;> (try (${PREMISE_REST}))`, 'rw'),
          make(`rw [← ${written}] <;> (try (${PREMISE_REST}))`, 'rw←'),
        ]),
    ...(shape === 'other' ? [] : [make(`simp only [${written}]`, 'simp only')]),
    make(`simp [${written}]`, 'simp'),
    make(`grind [${written}]`, 'grind'),
    ...(rank < 8 ? [make(`simp_all [${written}]`, 'simp_all')] : []),
    // A proof of its own, so that what is wrong with its holes is said at once.
    make(`exact (by simpa using ${written} ..)`, 'simpa'),
  ];
}

/** What a theorem or hypothesis concludes, as far as its text tells. */
export function shapeOf(text: string): string {
  if (text.includes('↔')) return 'equivalence';
  return /[^:<>≤≥!]=[^>]/u.test(text) ? 'equation' : 'other';
}

function variablesOf({ hypotheses }: ShownGoal): [string, string][] {
  return named(hypotheses)
    .flatMap(([name, type]): [string, string][] => {
      const head = DATA.exec(type)?.[1] ?? PRODUCT.exec(type)?.[1];
      return head === undefined || PROPOSITION.test(type) ? [] : [[name, head]];
    })
    .slice(-VARIABLES_MAX);
}

/** The last ones first: those that steps have made. */
function propositions({ hypotheses }: ShownGoal): [string, string][] {
  return named(hypotheses)
    .filter(([, type]) => PROPOSITION.test(type))
    .reverse()
    .slice(0, HYPOTHESES_MAX);
}

const named = (hypotheses: ShownGoal['hypotheses']): [string, string][] =>
  hypotheses.flatMap(({ names, type }) =>
    names.flatMap((name): [string, string][] => (INACCESSIBLE.test(name) ? [] : [[name, type]])),
  );

function functionsIn(target: string): string[] {
  const names = new Set(target.match(FUNCTION) ?? []);
  return [...names].filter((name) => !CONSTRUCTORS.has(name)).slice(0, FUNCTIONS_MAX);
}

/** Expected processor time of Lean among other tries, ms: of what an action does, and of what it ends with. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['grind', 12],
  ['simp_all', 6],
  ['simp_all functions', 8],
  ['simp_all, omega', 8],
  ['arithmetic', 8],
  ['simp', 5],
  ['simpa', 5],
  ['induction generalizing', 5],
  ['induction', 4],
  ['two cases', 6],
]);
const OTHER_PRICE = 2.5;
export function goalActionPrice({ parts }: GoalAction): number {
  const [does = '', names = ''] = parts.map((part) => part.slice(part.indexOf(':') + 1));
  return (PRICES.get(does) ?? OTHER_PRICE) + (PRICES.get(names) ?? 0);
}
