/**
 * Compares searches over goals: by rates of kinds of actions, by a learned ranker, and one step at the statement alone, at equal
 * processor time of Lean. All tries go through one memory (`goal-world.ts`).
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ShownGoal, ShownLemma } from '@stp/config/records';
import {
  actionPrice,
  actionsFor,
  type GoalAction,
  goalActionPrice,
  goalActions,
  portfolioStages,
  type StatementContext,
} from '@stp/lean-explore';
import {
  type ActionFeatures,
  ActionRanker,
  actionFeatures,
  areaUnderCurve,
  groupedArea,
  KIND_PARTS,
  type MetState,
  orderKey,
  randomStream,
  searchActions,
  type Try,
  termsOf,
} from '@stp/selfplay';
import { lemmaOffers } from '../../activities/lemma-shelf.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { spreadOf } from './curves.ts';
import { GoalWorld, goalsKey, type PlainState, type TriedStatement } from './goal-world.ts';

export interface SearchExperiment {
  readonly set: string;
  readonly directory: string;
  readonly statements: number;
  readonly premises: number;
  readonly seeds: readonly number[];
  readonly iterations: number;
  readonly seconds: number;
  readonly together: number;
  readonly pathWeight: number;
}

const HELD_OUT_SHARE = 0.35;
const GOALS_MAX = 6;
const GOAL_CHARS_MAX = 1_500;
const DEPTH_MAX = 8;
/** A hole that Lean has not filled: goals with one depend on each other. */
const HOLE = /\?[\p{L}_]/u;

interface Statement extends TriedStatement {
  readonly name: string;
  readonly labels: readonly string[];
}

/** An action of a state, with what a ranker sees of it. */
interface Shown {
  readonly action: GoalAction;
  readonly price: number;
  readonly kind: string;
  /** Made anew each time: all of them together would not fit in memory. */
  features(): ActionFeatures;
}

export interface Found {
  readonly statement: Statement;
  /** Lean's time at which a proof was found, ms; null: none within the limit. */
  readonly atMs: number | null;
  readonly proof: readonly string[] | null;
  readonly kinds: readonly string[];
  readonly states: number;
  readonly tries: readonly { readonly shown: Shown; readonly proved: boolean }[];
}

type Scorer = (shown: Shown) => number;

/** Chances of kinds before anything is known: every kind the same. */
const FIRST_CHANCE = 0.02;
const FIRST_WEIGHT = 30;

class Rates {
  readonly #counts = new Map<string, [number, number]>();
  constructor(found: readonly Found[]) {
    for (const { tries } of found)
      for (const { shown, proved } of tries) {
        const [all, good] = this.#counts.get(shown.kind) ?? [0, 0];
        this.#counts.set(shown.kind, [all + 1, good + (proved ? 1 : 0)]);
      }
  }
  chance(kind: string): number {
    const [all, good] = this.#counts.get(kind) ?? [0, 0];
    return (good + FIRST_WEIGHT * FIRST_CHANCE * 0.25) / (all + FIRST_WEIGHT);
  }
}

/** By hand, for the first searches. */
function firstChance({ action }: Shown): number {
  const [does = '', names = ''] = action.parts.map((part) => part.slice(part.indexOf(':') + 1));
  if (names === 'premise' || names === 'hypothesis') return 0.01;
  if (['cases', 'two cases', 'induction', 'induction generalizing'].includes(does))
    return names === 'nothing' ? 0.02 : 0.1;
  return ['rfl', 'simp', 'simp_all', 'grind', 'omega', 'assumption'].includes(does) ? 0.1 : 0.03;
}

const lastKind = (met: MetState<PlainState>, actionsOf: (met: MetState<PlainState>) => readonly Shown[]): string =>
  met.from === null ? 'start' : actionsOf(met.from.met)[met.from.action]!.action.parts.slice(0, 2).join(' ');

export async function goalSearchExperiment(options: SearchExperiment, say: (line: string) => void): Promise<string> {
  const folder = join(tmpdir(), `stp-goal-search-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await mkdir(options.directory, { recursive: true });
  const settings = { ...workerSettings(), storeUri: pathToFileURL(folder).href };
  const ports = await assemblePorts(settings, await leanEnvironment(settings, say));
  const { verification } = resolveConfig({
    preset: 'embedded',
    set: { 'verification.processes': '1', 'verification.heartbeatsMax': '3000' },
    flags: {},
  });
  const steps = await ports.steps('goal-search', verification);
  try {
    const world = await GoalWorld.open(resolve(options.directory, 'tries.jsonl'), steps);
    const offers = await lemmaOffers(
      ports.sources,
      { lemmasShown: options.premises, lemmaTokens: 0, premisesFrom: [options.set] },
      [],
    );
    const statements = await chosen(ports.sources.problemSet(options.set), options.statements);
    const offered = new Map<string, readonly ShownLemma[]>();
    const premisesOf = (one: Statement, goal: ShownGoal): readonly ShownLemma[] => {
      const key = `${one.id} ${goal.target}`;
      const known = offered.get(key);
      if (known !== undefined) return known;
      const its = offers({ header: one.header, statement: one.statement, id: one.id })(
        `theorem g : ${goal.target}`,
      ).lemmas;
      offered.set(key, its);
      return its;
    };
    const shownOf = new Map<string, readonly Shown[]>();
    const showing = (
      one: Statement,
      met: MetState<PlainState>,
      actionsOf: (met: MetState<PlainState>) => readonly Shown[],
    ) => {
      const goal = met.state.goals[0]!;
      const last = lastKind(met, actionsOf);
      const depth = Math.min(met.depth, 5);
      const key = `${one.id} ${goalsKey([goal])} ${last} ${depth} ${met.state.goals.length}`;
      const known = shownOf.get(key);
      if (known !== undefined) return known;
      const premises = premisesOf(one, goal);
      const tokens = goalTokens(goal, last, depth, met.state.goals.length);
      const goalTerms = new Set(termsOf(goal.target));
      const its = goalActions(goal, premises).map((action): Shown => {
        const fit = action.parts[1] === 'names:premise' ? fitOf(premises, action, goalTerms) : [];
        const parts = [...action.parts, ...fit];
        const kind = [
          ...action.parts.slice(0, KIND_PARTS),
          action.parts.find((part) => part.startsWith('rank:')) ?? '',
          depth === 0 ? 'root' : '',
        ].join(' ');
        return { action, price: goalActionPrice(action), kind, features: () => actionFeatures(tokens, parts) };
      });
      shownOf.set(key, its);
      return its;
    };
    const search = async (one: Statement, scorer: Scorer, leanMs: number): Promise<Found> => {
      const root = await world.root(one);
      if (root === null) return { statement: one, atMs: null, proof: null, kinds: [], states: 0, tries: [] };
      const own = new Map<MetState<PlainState>, readonly Shown[]>();
      const actionsOf = (met: MetState<PlainState>): readonly Shown[] => {
        if (!own.has(met)) own.set(met, met.depth >= DEPTH_MAX ? [] : showing(one, met, actionsOf));
        return own.get(met)!;
      };
      const outcome = await searchActions<PlainState>(
        { key: goalsKey(root.goals), state: root },
        {
          actions: (met) => actionsOf(met).map((shown) => ({ chance: scorer(shown), price: shown.price })),
          async tryAll(met, places) {
            const some = places.map((place) => actionsOf(met)[place]!);
            const results = await world.tryAll(
              one,
              met.state,
              some.map(({ action }) => action.tactic),
              some.map(({ price }) => price),
            );
            return Promise.all(
              results.map(async ({ goals, ms }, at) => {
                if (goals === null) return { outcome: { kind: 'invalid' as const }, leanMs: ms };
                const after = [...goals, ...met.state.goals.slice(1)];
                if (after.length === 0) {
                  const { isProof, ms: confirmMs } = await world.confirm(one, [
                    ...met.state.tactics,
                    some[at]!.action.tactic,
                  ]);
                  return {
                    outcome: { kind: isProof ? ('done' as const) : ('invalid' as const) },
                    leanMs: ms + confirmMs,
                  };
                }
                const isTooMuch =
                  after.length > GOALS_MAX ||
                  goals.some(({ target, hypotheses }) => {
                    const text = `${target} ${hypotheses.map(({ type }) => type).join(' ')}`;
                    return text.length > GOAL_CHARS_MAX || HOLE.test(text);
                  });
                if (isTooMuch) return { outcome: { kind: 'invalid' as const }, leanMs: ms };
                const tactics = [...met.state.tactics, some[at]!.action.tactic];
                const state: PlainState = { tactics, goals: after };
                return { outcome: { kind: 'open' as const, key: goalsKey(after), state }, leanMs: ms };
              }),
            );
          },
        },
        { leanMs, together: options.together, pathWeight: options.pathWeight },
      );
      const { last } = outcome;
      const kinds: string[] = [];
      for (let at = last; at !== null; at = at.met.from) kinds.unshift(actionsOf(at.met)[at.action]!.action.tactic);
      return {
        statement: one,
        atMs: last === null ? null : outcome.leanMs,
        proof: last === null ? null : kinds,
        kinds,
        states: outcome.states,
        tries: outcome.tries.map(({ met, action, isOnPath }) => {
          const shown = actionsOf(met)[action]!;
          // An action that closes a goal made progress, also where no proof was found.
          return { shown, proved: isOnPath || world.closes(one, met.state, shown.action.tactic) };
        }),
      };
    };
    const keep = async (name: string, found: readonly Found[]): Promise<void> => {
      const rows = found.map(({ statement, atMs, proof, states, tries }) => ({
        ...{ id: statement.id, name: statement.name, statement: statement.statement, module: statement.labels[2] },
        ...{ atMs, proof, states, tries: tries.length },
      }));
      await writeFile(join(options.directory, `${name}.json`), JSON.stringify(rows, null, 1));
      say(`${name}: ${found.filter(({ atMs }) => atMs !== null).length} of ${found.length}`);
    };
    const searchAll = async (name: string, some: readonly Statement[], scorer: Scorer): Promise<Found[]> => {
      const found: Found[] = [];
      const started = performance.now();
      for (const one of some) {
        found.push(await search(one, scorer, options.seconds * 1_000));
        if (found.length % 10 === 0)
          say(
            `${name}: ${found.length} of ${some.length}, ${found.filter(({ atMs }) => atMs !== null).length} proved, asked ${world.asked}, Lean ${(world.spentMs / 1000).toFixed(0)} s, wall ${((performance.now() - started) / 1000).toFixed(0)} s`,
          );
      }
      await keep(name, found);
      return found;
    };

    const of = (rows: readonly Found[], some: readonly Statement[]): Found[] => {
      const ids = new Set(some.map(({ id }) => id));
      return rows.filter(({ statement }) => ids.has(statement.id));
    };
    const results = new Map<string, { train: Found[]; heldOut: Found[] }[]>();
    const put = (row: string, train: Found[], heldOut: Found[]): void => {
      results.set(row, [...(results.get(row) ?? []), { train, heldOut }]);
    };
    const first = await searchAll('first', statements, firstChance);
    for (const seed of options.seeds) {
      const { train, heldOut } = splitByModule(statements, seed);
      put('search, by hand', of(first, train), of(first, heldOut));
      for (const row of ['fixed', 'learned'] as const) {
        let tries: Found[] = of(first, train);
        let last: Found[] = [];
        for (let iteration = 1; iteration <= options.iterations; iteration++) {
          last = await searchAll(`${row}-${seed}-${iteration}`, train, scorerOf(row, tries, seed));
          tries = [...tries, ...last];
        }
        const scorer = scorerOf(row, tries, seed);
        const held = await searchAll(`${row}-${seed}-held`, heldOut, scorer);
        put(`search, ${row}`, last, held);
        // On tries that neither order has chosen.
        const unseen = of(first, heldOut).flatMap((one) =>
          one.tries.map(({ shown, proved }) => ({ group: one.statement.id, isRight: proved, score: scorer(shown) })),
        );
        const good = tries.reduce((sum, one) => sum + one.tries.filter(({ proved }) => proved).length, 0);
        const all = tries.reduce((sum, one) => sum + one.tries.length, 0);
        say(
          `${row}, seed ${seed}: ${good} of ${all} tries trained on were good; area under the curve on held-out modules ${areaUnderCurve(unseen)?.toFixed(3)}, within a statement ${groupedArea(unseen)?.toFixed(3)}`,
        );
      }
      const table = tableOf(
        results,
        [0.25, 0.5, 1, 2, 5].filter((at) => at <= options.seconds),
      );
      say(`\n${table}\n`);
      await writeFile(join(options.directory, 'table.md'), table);
    }
    // One step: the space of composed actions and the list of scripts, at the statement alone.
    const { signal } = new AbortController();
    const contexts = await ports.contexts('goal-search', statements, verification, signal);
    const oneStep = async (name: string, tacticsOf: (context: StatementContext, one: Statement) => string[]) => {
      const found: Found[] = [];
      for (const [at, one] of statements.entries()) {
        const { context } = contexts[at]!;
        found.push(await runList(world, one, context === null ? [] : tacticsOf(context, one), options));
      }
      await keep(name, found);
      return found;
    };
    const actionsRow = await oneStep('one-step', (context, one) =>
      actionsFor(context, offers(one)().lemmas).map(({ proof }) => proof),
    );
    const scriptsRow = await oneStep('scripts', (context) =>
      portfolioStages(context)
        .flat()
        .map(({ proof }) => proof),
    );

    for (const seed of options.seeds) {
      const { train, heldOut } = splitByModule(statements, seed);
      put('list of scripts', of(scriptsRow, train), of(scriptsRow, heldOut));
      put('one step', of(actionsRow, train), of(actionsRow, heldOut));
    }
    return tableOf(
      results,
      [0.25, 0.5, 1, 2, 5].filter((at) => at <= options.seconds),
    );
  } finally {
    await steps.close();
    await ports.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function scorerOf(row: 'fixed' | 'learned', found: readonly Found[], seed: number): Scorer {
  const rates = new Rates(found);
  if (row === 'fixed') return ({ kind }) => rates.chance(kind);
  const prior = (kind: string): number => {
    const chance = rates.chance(kind);
    return Math.log(chance / (1 - chance));
  };
  const tries: Try[] = found.flatMap((one) =>
    one.tries.map(({ shown, proved }) => ({ prior: prior(shown.kind), features: shown.features(), proved })),
  );
  const ranker = ActionRanker.trained(tries, seed);
  return ({ kind, features }) => ranker.chance(prior(kind), features());
}

async function runList(
  world: GoalWorld,
  one: Statement,
  tactics: readonly string[],
  { seconds, together }: SearchExperiment,
): Promise<Found> {
  const root = await world.root(one);
  const none = { statement: one, kinds: [], states: 1, tries: [] };
  if (root === null) return { ...none, atMs: null, proof: null };
  let ms = 0;
  for (let from = 0; from < tactics.length && ms < seconds * 1_000; from += together) {
    const group = tactics.slice(from, from + together);
    const results = await world.tryAll(
      one,
      root,
      group,
      group.map(() => actionPrice([])),
    );
    ms += results.reduce((sum, result) => sum + result.ms, 0);
    for (const [at, { goals }] of results.entries()) {
      if (goals === null || goals.length > 0) continue;
      const { isProof, ms: confirmMs } = await world.confirm(one, [group[at]!]);
      ms += confirmMs;
      if (isProof) return { ...none, atMs: ms, proof: [group[at]!] };
    }
  }
  return { ...none, atMs: null, proof: null };
}

const HEADS = ['↔', '∧', '∨', '∃', '∀', '¬', '≠', '≤', '<', '∈', '=', '→'];
const TERMS_MAX = 12;

function goalTokens(goal: ShownGoal, last: string, depth: number, goals: number): string[] {
  const { target, hypotheses } = goal;
  const names = hypotheses.flatMap((one) => one.names);
  const bound = new Set(names);
  const terms = [...new Set(termsOf(target).filter((term) => !bound.has(term) && !term.includes('.')))];
  const [left = '', right = ''] = target.split(' = ', 2);
  return [
    `last:${last}`,
    `depth:${depth}`,
    `goals:${Math.min(goals, 4)}`,
    `head:${HEADS.find((head) => target.includes(head)) ?? 'other'}`,
    `left:${termsOf(left)[0] ?? ''}`,
    `right:${termsOf(right)[0] ?? ''}`,
    `size:${Math.round(Math.log2(target.length + 1))}`,
    `ih:${names.some((name) => /ih\d*$/u.test(name))}`,
    `props:${Math.min(3, hypotheses.filter(({ type }) => /[=≤<∈↔∧∨¬∀]/u.test(type)).length)}`,
    ...terms.slice(0, TERMS_MAX),
  ];
}

/** How the premise that an action names fits the goal: which of its terms the goal has. */
function fitOf(premises: readonly ShownLemma[], action: GoalAction, goal: ReadonlySet<string>): string[] {
  const written = action.parts.find((part) => part.startsWith('premise:'))?.slice('premise:'.length);
  const premise = premises.find((one) => one.written === written);
  if (premise === undefined) return [];
  const { left, right, hasConditions } = sidesOf(premise.signature);
  const share = (terms: readonly string[]): string => {
    if (terms.length === 0) return 'none';
    const there = terms.filter((term) => goal.has(term)).length;
    return there === terms.length ? 'all' : there * 2 >= terms.length ? 'most' : 'few';
  };
  return [
    `left:${share(left)}`,
    `right:${share(right)}`,
    `both:${share(left)} ${share(right)}`,
    `conditions:${hasConditions}`,
  ];
}

const sides = new Map<string, { left: readonly string[]; right: readonly string[]; hasConditions: boolean }>();
function sidesOf(signature: string) {
  const known = sides.get(signature);
  if (known !== undefined) return known;
  const colon = conclusionAt(signature);
  const conclusion = signature.slice(colon);
  const bound = new Set(
    [...signature.slice(0, colon).matchAll(/[({[]([^:()]*):/gu)].flatMap((match) => match[1]!.trim().split(/\s+/u)),
  );
  const last = conclusion.slice(conclusion.lastIndexOf('→') + 1);
  const [left = '', right = ''] = last.split(/ = | ↔ /u, 2);
  const terms = (text: string): string[] =>
    [...new Set(termsOf(text))].filter((term) => !bound.has(term) && term.length > 0);
  const made = {
    left: terms(left),
    right: terms(right),
    hasConditions: conclusion.includes('→') || /\(\w+ : [^)]*[=≤<∈≠]/u.test(signature.slice(0, colon)),
  };
  sides.set(signature, made);
  return made;
}

/** Place behind the colon after the binders. */
function conclusionAt(signature: string): number {
  let depth = 0;
  for (let at = 0; at < signature.length; at++) {
    if ('([{⦃'.includes(signature[at]!)) depth += 1;
    else if (')]}⦄'.includes(signature[at]!)) depth -= 1;
    else if (depth === 0 && signature[at] === ':') return at + 1;
  }
  return 0;
}

async function chosen(
  all: AsyncIterable<{
    id: string;
    name: string;
    header: string | null;
    statement: string;
    split: string;
    labels: readonly string[];
  }>,
  count: number,
): Promise<Statement[]> {
  const rows = await Array.fromAsync(all);
  const order = (id: string): string => orderKey('action-record', id);
  rows.sort((one, other) => (order(one.id) < order(other.id) ? -1 : 1));
  const some = rows
    .slice(0, count)
    .map(({ id, name, header, statement, labels }) => ({ id, name, header, statement, labels }));
  // Statements under one header share a process.
  return some.sort((one, other) => ((one.header ?? '') < (other.header ?? '') ? -1 : 1));
}

function splitByModule(all: readonly Statement[], seed: number): { train: Statement[]; heldOut: Statement[] } {
  const moduleOf = ({ labels }: Statement): string => labels[2] ?? labels[0] ?? '';
  const modules = randomStream('order-replay', seed).shuffle([...new Set(all.map(moduleOf))].sort());
  const held = new Set<string>();
  let count = 0;
  for (const module of modules) {
    const size = all.filter((one) => moduleOf(one) === module).length;
    if (count + size > HELD_OUT_SHARE * all.length) continue;
    held.add(module);
    count += size;
  }
  return {
    train: all.filter((one) => !held.has(moduleOf(one))),
    heldOut: all.filter((one) => held.has(moduleOf(one))),
  };
}

function tableOf(
  results: ReadonlyMap<string, readonly { train: Found[]; heldOut: Found[] }[]>,
  seconds: readonly number[],
): string {
  const share = (found: readonly Found[], at: number): number =>
    (100 * found.filter(({ atMs }) => atMs !== null && atMs <= at * 1_000).length) / Math.max(1, found.length);
  const cell = (values: readonly number[]): string => {
    const { mean, deviation } = spreadOf(values);
    return deviation === null ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${deviation.toFixed(1)}`;
  };
  const parts = ['train', 'heldOut'] as const;
  const columns = parts.flatMap((part) => seconds.map((at) => ({ part, at })));
  const valuesOf = (row: string, { part, at }: (typeof columns)[number]): number[] =>
    results.get(row)!.map((one) => share(one[part], at));
  const lines = [...results.keys()].map(
    (row) => `| ${row} | ${columns.map((column) => cell(valuesOf(row, column))).join(' | ')} |`,
  );
  const difference = columns.map((column) => {
    const fixed = valuesOf('search, fixed', column);
    return cell(valuesOf('search, learned', column).map((value, at) => value - fixed[at]!));
  });
  return [
    `| row | ${columns.map(({ part, at }) => `${part === 'train' ? 'training' : 'held-out modules'}, ${at} s`).join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...lines,
    `| learned over fixed | ${difference.join(' | ')} |`,
  ].join('\n');
}
