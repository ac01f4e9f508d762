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
  goalActionPrice,
  goalActions,
  portfolioStages,
  type StatementContext,
} from '@stp/lean-explore';
import { actionFeatures, areaUnderCurve, groupedArea, KIND_PARTS, termsOf } from '@stp/selfplay';
import { lemmaOffers } from '../../activities/lemma-shelf.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { type MetState, searchActions } from './action-search.ts';
import { fitOf, goalTokens } from './goal-features.ts';
import { type Found, firstChance, type Scorer, type Shown, type Statement, scorerOf } from './goal-scorers.ts';
import { chosen, splitByModule, tableOf } from './goal-splits.ts';
import { GoalWorld, goalsKey, type PlainState } from './goal-world.ts';

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

/** Seconds of Lean a statement. */
const BUDGETS = [0.25, 0.5, 1, 2, 5];
const GOALS_MAX = 6;
const GOAL_CHARS_MAX = 1_500;
const DEPTH_MAX = 8;
/** A hole that Lean has not filled: goals with one depend on each other. */
const HOLE = /\?[\p{L}_]/u;

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
      if (root === null) return { statement: one, atMs: null, proof: null, states: 0, tries: [] };
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
      const proof: string[] = [];
      for (let at = last; at !== null; at = at.met.from) proof.unshift(actionsOf(at.met)[at.action]!.action.tactic);
      return {
        statement: one,
        atMs: last === null ? null : outcome.leanMs,
        proof: last === null ? null : proof,
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
    const budgets = BUDGETS.filter((seconds) => seconds <= options.seconds);
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
      const soFar = tableOf(results, budgets);
      say(`\n${soFar}\n`);
      await writeFile(join(options.directory, 'table.md'), soFar);
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
    return tableOf(results, budgets);
  } finally {
    await steps.close();
    await ports.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runList(
  world: GoalWorld,
  one: Statement,
  tactics: readonly string[],
  { seconds, together }: SearchExperiment,
): Promise<Found> {
  const root = await world.root(one);
  const none = { statement: one, states: 1, tries: [] };
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
