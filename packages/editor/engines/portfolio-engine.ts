/**
 * Suggestions without a model: the portfolio's scripts with the goal's names, and single steps that the form of the
 * goal allows. It reads goals as text, so it may guess wrong; Lean decides.
 */
import type { ShownDefinition, ShownGoal } from '@stp/config/records';
import {
  type ContextBinder,
  type ContextInductive,
  PORTFOLIO_VERSION,
  portfolioStages,
  type StatementContext,
} from '@stp/lean-explore';
import { displayProof } from '@stp/selfplay';
import type { Engine, Query } from './engine.ts';

const PROPOSALS_MAX = 40;
const HYPOTHESES_MAX = 8;

const inductive = (name: string, isRecursive: boolean, ...constructors: string[]): [string, ContextInductive] => [
  name,
  { name, isRecursive, constructors },
];
/** Inductive types of core Lean, by the head of a type. */
const CORE_INDUCTIVES: ReadonlyMap<string, ContextInductive> = new Map([
  inductive('Nat', true, 'zero', 'succ'),
  inductive('ℕ', true, 'zero', 'succ'),
  inductive('List', true, 'nil', 'cons'),
  inductive('Int', false, 'ofNat', 'negSucc'),
  inductive('Bool', false, 'false', 'true'),
  inductive('Option', false, 'none', 'some'),
]);
const PROPOSITION = /[=≤<≥>∧∨≠¬∣∀∃↔∈]|\bTrue\b|\bFalse\b/u;
const UNIVERSE = /^(?:Type|Sort|Prop)\b/u;
const INSTANCE = /^inst✝/u;
const HEAD = /^[\p{L}_][\p{L}\p{N}_'.]*/u;
const BOUND = /^∀ [({]?([\p{L}_][\p{L}\p{N}_']*(?: [\p{L}_][\p{L}\p{N}_']*)*)/u;

/** Matches the text before the word being typed, and the beginning of that word. */
const LAST_WORD = /^([\s\S]*?)([\p{L}\p{N}_'.!?₀-₉]*)$/u;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['⟨', '⟩'],
  ['{', '}'],
]);
/** Tactics that take a name, and the text after it. */
const ARGUMENT_OF = [
  ['exact ', ''],
  ['apply ', ''],
  ['rw [', ']'],
  ['simp [', ']'],
  ['simp only [', ']'],
  ['grind [', ']'],
  ['cases ', ''],
  ['induction ', ''],
  ['unfold ', ''],
] as const;

export function portfolioEngine(): Engine {
  return {
    name: 'portfolio',
    isQuiet: true,
    identity: `portfolio ${PORTFOLIO_VERSION} with premises and completions`,
    async propose(query) {
      const [plain, induction, ...later] = portfolioStages(contextOf(query)).map((stage) =>
        stage.map(({ proof }) => displayProof(proof)),
      );
      const named = premiseScripts(query);
      const scripts = new Set([...plain!, ...induction!, ...named, ...later.flat()]);
      const texts = new Set([
        ...plain!,
        ...induction!,
        ...named,
        ...stepsOf(query),
        ...completionsOf(query),
        ...scripts,
      ]);
      const begun = [...texts].filter((text) => text.startsWith(query.prefix));
      return begun
        .slice(0, PROPOSALS_MAX)
        .map((text) => ({ text, score: null, logprob: null, isCloser: scripts.has(text) }));
    },
    async close() {},
  };
}

function contextOf({ goal, definitions }: Query): StatementContext {
  return {
    binders: bindersOf(goal, definitions),
    definitions: definitions.map((one) => ({
      ...one,
      kind: one.kind === 'function' ? 'definition' : 'inductive',
      isRecursive: one.kind === 'function' && one.equations.some((equation) => mentions(equation, one.name)),
      arity: 0,
    })),
    applications: [],
    predicates: [],
    coreFunctions: [],
    unfoldsToCond: false,
    grind: 'grind',
    core: [...(goal.target.includes('∧') ? ['And'] : []), ...(goal.target.includes('↔') ? ['Iff'] : [])],
  };
}

function bindersOf({ hypotheses }: ShownGoal, definitions: readonly ShownDefinition[]): ContextBinder[] {
  const names = hypotheses.flatMap((one) => one.names);
  return hypotheses.flatMap(({ names: own, type }) =>
    own.map((name): ContextBinder => {
      const head = HEAD.exec(type)?.[0] ?? null;
      return {
        name: name.includes('✝') ? null : name,
        kind: kindOf(name, type),
        isExplicit: true,
        isIntroduced: true,
        isShadowed: names.lastIndexOf(name) > names.indexOf(name),
        typeHead: head,
        inductive: head === null ? null : (CORE_INDUCTIVES.get(head) ?? ownInductive(head, definitions)),
      };
    }),
  );
}

function kindOf(name: string, type: string): ContextBinder['kind'] {
  if (INSTANCE.test(name)) return 'instance';
  if (UNIVERSE.test(type)) return 'type';
  if (PROPOSITION.test(type)) return 'hypothesis';
  return type.includes('→') ? 'function' : 'variable';
}

function ownInductive(head: string, definitions: readonly ShownDefinition[]): ContextInductive | null {
  const found = definitions.find(
    ({ kind, written, name }) => kind === 'inductive' && (written === head || name === head),
  );
  if (found === undefined) return null;
  const { name, constructors, equations } = found;
  return { name, constructors, isRecursive: equations.some((equation) => mentions(equation, name)) };
}

function mentions(text: string, name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1).replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_'])${last}(?![\\p{L}\\p{N}_'])`, 'u').test(text);
}

/** Scripts that may use the theorems found for the goal, in addition to its definitions. */
function premiseScripts({ goal, definitions, premises }: Query): string[] {
  if (premises.length === 0) return [];
  const functions = definitions.filter(({ kind }) => kind === 'function').map(({ written }) => written);
  const list = `[${[...functions, ...premises].join(', ')}]`;
  const recursive = bindersOf(goal, definitions).find(({ inductive: of, name }) => of?.isRecursive && name !== null);
  return [
    `simp_all ${list}`,
    `grind ${list}`,
    ...(recursive === undefined ? [] : [`induction ${recursive.name} <;> grind ${list}`]),
  ];
}

/** Completes a beginning that a person has typed: with a tactic's argument, or with the last word of a longer text. */
function completionsOf({ goal, definitions, premises, prefix }: Query): string[] {
  if (prefix.trim() === '') return [];
  const visible = goal.hypotheses.flatMap(({ names }) => names.filter((name) => !name.includes('✝')));
  const names = [...visible.toReversed(), ...premises, ...definitions.map(({ written }) => written)];
  const [, before, word] = LAST_WORD.exec(prefix)!;
  const open: string[] = [];
  for (const character of before!)
    if (BRACKETS.has(character)) open.push(BRACKETS.get(character)!);
    else if (open.at(-1) === character) open.pop();
  const closing = open.toReversed().join('');
  if (before === '') return ARGUMENT_OF.flatMap(([head, end]) => ['rfl', ...names].map((name) => head + name + end));
  return ['rfl', ...names].filter((name) => name.startsWith(word!)).map((name) => before + name + closing);
}

/** Tactics that leave goals, by the form of the goal. */
function stepsOf(query: Query): string[] {
  const { goal, definitions } = query;
  const { target } = goal;
  const binders = bindersOf(goal, definitions);
  const named = binders.flatMap(({ name, kind }) => (name === null ? [] : [{ name, kind }]));
  const hypotheses = goal.hypotheses
    .flatMap(({ names, type }) => names.map((name) => ({ name, type })))
    .filter(({ name, type }) => !name.includes('✝') && (PROPOSITION.test(type) || type.includes('→')))
    .slice(-HYPOTHESES_MAX);
  const variables = binders.filter(
    ({ kind, inductive: of, name }) => kind === 'variable' && of !== null && name !== null,
  );
  const functions = definitions.filter(({ kind }) => kind === 'function').map(({ written }) => written);
  const bound = BOUND.exec(target)?.[1];
  return [
    'assumption',
    ...(bound === undefined ? [] : [`intro ${bound}`]),
    ...(target.includes('→') || target.startsWith('¬') ? ['intro h'] : []),
    ...(target.includes('∧') || target.includes('↔') ? ['constructor'] : []),
    ...(target.includes('∨') ? ['left', 'right'] : []),
    ...(target.startsWith('∃') ? ['refine ⟨?_, ?_⟩'] : []),
    ...hypotheses.flatMap(({ name, type }) => [
      ...(/[∧∃]/u.test(type) ? [`obtain ⟨left, right⟩ := ${name}`] : []),
      ...(type.includes('∨') ? [`cases ${name}`] : []),
      ...(type.includes('→') || type.startsWith('∀') ? [`apply ${name}`] : []),
      ...(type.includes('=') ? [`rw [${name}]`, `simp [${name}]`] : []),
      `exact ${name}`,
    ]),
    ...variables.flatMap(({ name, inductive: of }) => [
      ...(of!.isRecursive ? [`induction ${name}`] : []),
      `cases ${name}`,
    ]),
    ...functions.slice(0, HYPOTHESES_MAX).map((name) => `unfold ${name}`),
    ...(/\bif\b|\bmatch\b/u.test(target) ? ['split'] : []),
    ...named.flatMap(({ name, kind }) => (kind === 'hypothesis' ? [`simp at ${name}`] : [])),
    ...(target.includes('=') ? ['ext', 'symm', 'congr'] : []),
  ];
}
