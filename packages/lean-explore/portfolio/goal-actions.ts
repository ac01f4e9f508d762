/**
 * The actions that a search tries on one goal: steps that take it apart, steps with a premise or a hypothesis, and tactics that may
 * close it. They are made from the goal as Lean prints it, so they fit goals that no statement has.
 */
import type { ShownGoal } from '@stp/config/records';
import { simp } from '../library/search/script-text.ts';
import type { OfferedPremise } from './actions.ts';

export interface GoalAction {
  readonly tactic: string;
  /** What it is made of, in words that mean the same for all goals, its kind first: `does:rw`, `names:premise`, `on:nothing`. */
  readonly parts: readonly string[];
}

const VARIABLES_MAX = 5;
const HYPOTHESES_MAX = 6;
const FUNCTIONS_MAX = 5;
const CONDITIONS_MAX = 2;
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

function takingApart(goal: ShownGoal): GoalAction[] {
  const { target } = goal;
  const variables = variablesOf(goal);
  const names = variables.map(([name]) => name);
  const isPair = /[∧↔]/u.test(target);
  const conditions = [...target.matchAll(CONDITION)].slice(0, CONDITIONS_MAX).map((match) => match[1]!);
  return [
    ...(/[∀→]|¬|≠/u.test(target)
      ? [action('unhygienic intros', 'intros', 'nothing'), action('unhygienic intro', 'intro', 'nothing')]
      : []),
    ...(isPair || /∃/u.test(target) ? [action('constructor', 'constructor', 'nothing')] : []),
    ...(/∨/u.test(target) ? ['left', 'right'].map((tactic) => action(tactic, tactic, 'nothing')) : []),
    ...(/\b(if|match)\b|\bdite\b/u.test(target) ? [action('unhygienic split', 'split', 'nothing')] : []),
    ...conditions.map((condition) => action(`by_cases hc : ${condition}`, 'by_cases', 'condition')),
    ...(/=|⊆/u.test(target) ? [action('unhygienic ext', 'ext', 'nothing'), action('congr 1', 'congr', 'nothing')] : []),
    ...(/=/u.test(target)
      ? [
          action('unhygienic funext', 'funext', 'nothing'),
          action('symm', 'symm', 'nothing'),
          action('rw [Bool.eq_iff_iff]', 'rw', 'Bool.eq_iff_iff'),
        ]
      : []),
    ...variables.flatMap(([name, type]) => {
      const others = names.filter((other) => other !== name);
      return [
        action(`unhygienic cases ${name}`, 'cases', 'variable', type),
        ...(RECURSIVE.has(type)
          ? [
              action(`unhygienic induction ${name}`, 'induction', 'variable', type),
              ...(others.length === 0
                ? []
                : [
                    action(
                      `unhygienic induction ${name} generalizing ${others.join(' ')}`,
                      'induction generalizing',
                      'variable',
                      type,
                    ),
                  ]),
            ]
          : []),
      ];
    }),
  ];
}

function withHypothesis(name: string, type: string): GoalAction[] {
  const shape = shapeOf(type);
  const parts = [`says:${shape}`, ...(/ih\d*$/u.test(name) ? ['hypothesis:ih'] : [])];
  const make = (tactic: string, does: string): GoalAction => action(tactic, does, 'hypothesis', 'nothing', ...parts);
  return [
    make(`exact ${name}`, 'exact'),
    make(`apply ${name}`, 'apply'),
    make(`rw [${name}]`, 'rw'),
    make(`rw [← ${name}]`, 'rw←'),
    make(`simp [${name}]`, 'simp'),
    make(`simp only [${name}]`, 'simp only'),
    make(`simp at ${name}`, 'simp at'),
    ...(/^[^∀→]*[∧∨∃=<≤∈]|^[\p{Lu}]/u.test(type) ? [make(`unhygienic cases ${name}`, 'cases')] : []),
    ...(/=/u.test(type) ? [make(`subst ${name}`, 'subst')] : []),
    ...(/\bif\b|\bmatch\b/u.test(type) ? [make(`unhygienic split at ${name}`, 'split at')] : []),
  ];
}

function withPremise({ written, signature }: OfferedPremise, rank: number): GoalAction[] {
  const shape = shapeOf(signature);
  const bucket = rank < 2 ? `${rank}` : rank < 4 ? '2-3' : rank < 8 ? '4-7' : rank < 16 ? '8-15' : '16-';
  const parts = [`premise:${written}`, `rank:${bucket}`, `says:${shape}`];
  const make = (tactic: string, does: string): GoalAction => action(tactic, does, 'premise', 'nothing', ...parts);
  return [
    make(`apply ${written}`, 'apply'),
    ...(shape === 'other' ? [] : [make(`rw [${written}]`, 'rw'), make(`rw [← ${written}]`, 'rw←')]),
    ...(shape === 'other' ? [] : [make(`simp only [${written}]`, 'simp only')]),
    make(`simp [${written}]`, 'simp'),
    make(`grind [${written}]`, 'grind'),
    make(`simpa using ${written} ..`, 'simpa'),
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

/** Expected processor time of Lean among other tries, ms. */
const PRICES: Readonly<Record<string, number>> = {
  grind: 12,
  simp_all: 6,
  'simp_all, omega': 8,
  simp: 5,
  simpa: 5,
  'induction generalizing': 5,
  induction: 4,
};
const OTHER_PRICE = 2.5;
export const goalActionPrice = ({ parts }: GoalAction): number =>
  PRICES[parts[0]!.slice('does:'.length)] ?? OTHER_PRICE;
