/**
 * Compares methods at equal numbers of samples and at equal Lean time. The default tests STP's own claim (figures 2 and
 * 5 of arXiv 2502.00212) at a laptop's size: self-play against expert iteration, parallel sampling and other sources of
 * conjectures. The methods of a seed start from the same SFT model; those that differ only from round 1 on share the
 * first round. Conjecturers that learn have another SFT model. Finished runs are not repeated, so an interrupted
 * experiment continues.
 */
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROUNDS_MAX, runConfigSchema } from '@stp/config';
import { evaluationReportSchema, type PortfolioFigures, type Summary, summarySchema } from '@stp/config/records';
import { execa } from 'execa';
import { z } from 'zod';
import { SHOWN, STP } from './command.ts';
import {
  type Comparison,
  type Cost,
  compare,
  type FinishedRun,
  type MethodResult,
  type Spread,
  spreadOf,
} from './curves.ts';

interface Method {
  readonly label: string;
  /** Null: the requested preset. */
  readonly preset: string | null;
  readonly set: Readonly<Record<string, string>>;
  /**
   * The method whose run it starts from, with the SFT model or after the first round; null: it trains its own model.
   */
  readonly from: { readonly method: string; readonly round: 'sft' | '0' } | null;
}

export const SELF_PLAY = 'self-play';
/** The methods of `npm run experiment -- learning`; the first one is the method that learns. */
export const LEARNING = ['ranker-only', 'symbolic-fixed'] as const;
const DECODE = 'decode';

const asSelfPlay = (label: string, set: Method['set']): Method => ({
  label,
  preset: null,
  set,
  from: { method: SELF_PLAY, round: '0' },
});
/** Makes the same loop without learning: it trains nothing and starts from no trained model. */
const withoutLearning = (label: string, set: Method['set']): Method => ({
  label,
  preset: null,
  set: { 'sft.stepsMin': '1', 'sft.stepsMax': '1', 'training.from': 'none', 'retrain.everyRounds': '0', ...set },
  from: null,
});
/** Makes a method whose conjecturer decodes: its SFT model trains on more equations, for longer. */
const asDecode = (label: string, set: Method['set']): Method => ({
  label,
  preset: 'embedded',
  set: { 'conjectures.source': 'decode', 'data.conjecturerExamplesPerTheoremMax': '4', 'sft.stepsMax': '2500', ...set },
  from: { method: DECODE, round: '0' },
});
const baseline = (label: string, preset: string): Method => ({
  label,
  preset,
  set: {},
  from: { method: SELF_PLAY, round: 'sft' },
});

/** Methods by their name in `--methods`. Each comes after the one that it starts from. */
const METHODS: Readonly<Record<string, Method>> = {
  [SELF_PLAY]: { ...asSelfPlay('self-play', {}), from: null },
  untrained: withoutLearning('the same loop, its model never trained', {
    'sampling.samplesFirstRound': '1',
    'sampling.samplesPerStatement': '1',
    'sampling.samplesPerConjecture': '1',
  }),
  symbolic: withoutLearning('the same loop without a model: scripts and premises', { 'prover.mode': 'scripts' }),
  'symbolic-fixed': withoutLearning('actions in a fixed order', {
    'prover.mode': 'scripts',
    'prover.actions': 'fixed',
  }),
  'ranker-only': withoutLearning('actions in a learned order', {
    'prover.mode': 'scripts',
    'prover.actions': 'learned',
  }),
  'explored-conjectures': asSelfPlay('conjectures in exploration’s order, no conjecturer', {
    'conjectures.source': 'explore',
    'conjectures.rankedShare': '0',
  }),
  'random-conjectures': asSelfPlay('random conjectures in its place', {
    'conjectures.source': 'random',
    // The conjectures are untested: without this rule Lean would spend most of its time on false ones.
    'conjectures.gate.refuseRefutable': 'true',
  }),
  'growing-library': asSelfPlay('no conjectures, growing library', { 'conjectures.source': 'none' }),
  'fixed-library': asSelfPlay('no conjectures, fixed library', {
    'conjectures.source': 'none',
    library: 'fixed',
  }),
  [DECODE]: { ...asDecode('learned conjectures', {}), from: null },
  'decode-use': asDecode('learned conjectures, credit for use', { 'conjectures.reward.kind': 'use' }),
  both: asDecode('explored and learned conjectures', { 'conjectures.source': 'both' }),
  'expert-iteration': baseline('expert iteration', 'expert-iteration'),
  'expert-iteration-optimised': baseline('expert iteration, optimised', 'expert-iteration-optimised'),
  'parallel-sampling': baseline('parallel sampling', 'parallel-sampling'),
};
export const METHOD_NAMES: readonly string[] = Object.keys(METHODS);

export interface ExperimentOptions {
  readonly seeds: readonly number[];
  /** Method with which the others are compared: a name of `METHODS` that starts from no other. */
  readonly first: string;
  /** Number of rounds of the first method. */
  readonly rounds: number;
  /**
   * Rounds of the other methods by name. Null: as many as the first method, and then more until it has spent the same
   * Lean time, since rounds of methods can differ much in cost.
   */
  readonly methods: ReadonlyMap<string, number | null>;
  /** Preset of the first method, and of methods that differ from it in some values. */
  readonly preset: string;
  /** Parent of the runs, with one folder for each method and seed. */
  readonly directory: string;
  /** Values that all methods share, by dotted key. */
  readonly set: Readonly<Record<string, string>>;
}

/** Training statements that the portfolio of scripts proves, given the lemmas that self-play found. */
export interface WithLemmas {
  readonly proved: number;
  readonly statements: number;
}

export interface ExperimentResults {
  readonly results: readonly MethodResult[];
  readonly comparison: Comparison;
  /** Summary of the first method's first seed. */
  readonly summary: Summary;
  /** Figures of self-play for each seed; empty if another method is the first. */
  readonly portfolio: readonly WithLemmas[];
}

/** Returns the first method, then the others and their origins in the order of `METHODS`. */
export function withOrigins(first: string, methods: Iterable<string>): string[] {
  const wanted = new Set(methods);
  for (const name of [...wanted]) wanted.add(METHODS[name]!.from?.method ?? name);
  wanted.delete(first);
  return [first, ...METHOD_NAMES.filter((name) => wanted.has(name))];
}

/** Makes the missing runs and compares all methods. `say` gets one line for each run. */
export async function selfplayVersusBaselines(
  options: ExperimentOptions,
  say: (line: string) => void,
): Promise<ExperimentResults> {
  const { first } = options;
  const names = withOrigins(first, options.methods.keys());
  const runs = new Map<string, FinishedRun[]>(names.map((name) => [name, []]));
  let summary: Summary | null = null;
  const portfolio: WithLemmas[] = [];
  for (const seed of options.seeds) {
    const own = await finishedRun(first, seed, options, { rounds: options.rounds, leanSeconds: 0 });
    summary ??= own.summary;
    for (const name of names) {
      const rounds = options.methods.get(name) ?? null;
      const enough = { rounds: rounds ?? options.rounds, leanSeconds: rounds === null ? spent(own) : 0 };
      const run = name === first ? own : await finishedRun(name, seed, options, enough);
      runs.get(name)!.push(run);
      const { statements, provedPerRound, provedBaseline, samples } = run.summary;
      const proved = provedPerRound.at(-1) ?? provedBaseline;
      say(
        `${name}, seed ${seed}: ${proved} of ${statements} after ${provedPerRound.length} rounds, ${samples} samples, ${spent(run).toFixed(0)} s of Lean`,
      );
    }
    if (first !== SELF_PLAY) continue;
    const lemmas = await withLemmas(seed, own.folder, options);
    say(`portfolio with lemmas, seed ${seed}: ${lemmas.proved} of ${lemmas.statements}`);
    portfolio.push(lemmas);
  }
  const results = names.map((name) => ({ method: METHODS[name]!.label, runs: runs.get(name)! }));
  return { results, comparison: compare(results), summary: summary!, portfolio };
}

/** Tries the portfolio's scripts on self-play's training statements, with the library that self-play has grown. */
async function withLemmas(seed: number, origin: string, options: ExperimentOptions): Promise<WithLemmas> {
  const folder = runFolder(`portfolio-with-lemmas-of-${basename(origin)}`, seed, options.directory);
  const path = join(folder, 'evaluation.json');
  if (!existsSync(path)) {
    const { data } = runConfigSchema.parse(JSON.parse(await readFile(join(origin, 'config.json'), 'utf8')));
    const words = ['eval', '--prover', 'scripts', '--problems', data.problemSets.join(','), '--split', 'train'];
    await execa(STP, [...words, '--library', origin, '--run-dir', folder], SHOWN);
  }
  const { groups } = evaluationReportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  return {
    proved: groups.reduce((sum, { proved }) => sum + proved, 0),
    statements: groups.reduce((sum, { statements }) => sum + statements, 0),
  };
}

const runFolder = (name: string, seed: number, directory: string): string => join(directory, `${name}-seed-${seed}`);

const spent = ({ leanSeconds }: FinishedRun): number =>
  [...leanSeconds.values()].reduce((sum, seconds) => sum + seconds, 0);

/** The least that a method must have played. */
export interface Enough {
  readonly rounds: number;
  readonly leanSeconds: number;
}

/** Estimates the further rounds that a run needs, by the cost of its rounds so far; 0: it has enough. */
export function roundsMissing(run: FinishedRun, enough: Enough): number {
  const all = run.summary.rounds.length;
  const each = Math.max(1, spent(run) / all);
  const more = Math.max(enough.rounds + 1 - all, Math.ceil((enough.leanSeconds - spent(run)) / each));
  return Math.max(0, Math.min(ROUNDS_MAX + 1 - all, more));
}

interface PlayedRun extends FinishedRun {
  readonly summary: Summary;
  /** Folder of the last of its runs. */
  readonly folder: string;
}

/** Plays a method until it has enough. A finished run continues in a new one, as often as necessary. */
async function finishedRun(name: string, seed: number, options: ExperimentOptions, enough: Enough): Promise<PlayedRun> {
  const { preset, set, from } = METHODS[name]!;
  const origin = from === null ? null : runFolder(from.method, seed, options.directory);
  const values = Object.entries({ ...options.set, ...set }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const play = async (folder: string, rounds: number, start: readonly string[]): Promise<PlayedRun> => {
    const summaryPath = join(folder, 'summary.json');
    if (!existsSync(summaryPath)) {
      const words = ['selfplay', '--preset', preset ?? options.preset, '--rounds', `${rounds}`, '--seed', `${seed}`];
      await execa(STP, [...words, '--run-dir', folder, ...start, ...values], SHOWN);
    }
    const summary = summarySchema.parse(JSON.parse(await readFile(summaryPath, 'utf8')));
    return { summary, leanSeconds: await leanSecondsOf(folder), folder };
  };
  const whole = runFolder(name, seed, options.directory);
  const start = origin === null ? [] : ['--init-from', origin, '--from-round', from!.round];
  let run = await play(whole, enough.rounds, start);
  if (from?.round === '0') {
    const first = (await leanSecondsOf(origin!)).get(0) ?? 0;
    run = { ...run, leanSeconds: new Map([[0, first], ...run.leanSeconds]) };
  }
  for (let more = roundsMissing(run, enough); more > 0; more = roundsMissing(run, enough)) {
    const rounds = run.summary.rounds.length - 1 + more;
    const next = await play(`${whole}-to-${rounds}`, rounds, ['--init-from', run.folder]);
    // The run was stopped by hand.
    if (next.summary.rounds.length === run.summary.rounds.length) return run;
    run = { ...next, leanSeconds: new Map([...run.leanSeconds, ...next.leanSeconds]) };
  }
  return run;
}

const manifestSchema = z.object({
  round: z.number().int(),
  shards: z.array(z.object({ checkMs: z.number() })),
});
const metricSchema = z.object({ name: z.string(), value: z.number() });
/** Matches a round's metrics of Lean time for scripts and the gate. */
const LEAN_METRIC = /^rounds\/(\d+)_.*\/?(?:scripts|gate)_lean_seconds$/u;

/** Returns Lean's time in each round of a run's folder. */
async function leanSecondsOf(folder: string): Promise<Map<number, number>> {
  const seconds = new Map<number, number>();
  const add = (round: number, more: number): void => {
    seconds.set(round, (seconds.get(round) ?? 0) + more);
  };
  for (const path of globSync('rounds/*/manifest.json', { cwd: folder })) {
    const { round, shards } = manifestSchema.parse(JSON.parse(await readFile(join(folder, path), 'utf8')));
    for (const { checkMs } of shards) add(round, checkMs / 1_000);
  }
  for (const line of (await readFile(join(folder, 'metrics.jsonl'), 'utf8')).split('\n')) {
    if (line === '') continue;
    const { name, value } = metricSchema.parse(JSON.parse(line));
    const round = LEAN_METRIC.exec(name)?.[1];
    if (round !== undefined) add(Number(round), value);
  }
  return seconds;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const withSpread = ({ mean, deviation }: Spread): string => `${percent(mean)} ± ${(100 * deviation).toFixed(1)}`;

/** Returns the comparison as a Markdown table, and two sentences that compare the first method with the others. */
export function comparisonTable(comparison: Comparison): string {
  const rows = comparison.methods.map(
    ({ method, rates: { samples, leanSeconds: lean }, heldOut, heldOutWithScripts }) => {
      const ofAll = (shares: readonly number[]): string =>
        shares.length < lean.each.length ? '–' : withSpread(spreadOf(shares));
      const each = lean.each.map(percent).join(', ');
      const cells = [samples.all, lean.atHalf, lean.all].map(withSpread);
      return `| ${[method, ...cells, each, ofAll(heldOut), ofAll(heldOutWithScripts)].join(' | ')} |`;
    },
  );
  const first = comparison.methods[0]?.heldOutFirst ?? [];
  const { samples, leanSeconds } = comparison.at;
  return [
    '| method | cumulative pass rate at equal samples | at half of the common Lean time | at equal Lean time | each seed | held-out, last model | with scripts |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Compared at ${samples.join(', ')} samples and at ${leanSeconds.map((one) => one.toFixed(0)).join(', ')} s of Lean (seed by seed). Held-out, SFT model: ${first.length < samples.length ? '–' : withSpread(spreadOf(first))}.`,
    verdict(comparison, 'samples', 'equal samples'),
    verdict(comparison, 'leanSeconds', 'equal Lean time'),
  ].join('\n');
}

/**
 * Describes what the portfolio proves, with and without self-play's lemmas. It draws no samples, so it has no curve.
 */
export function portfolioLine(
  { proved, statements, heldOut }: PortfolioFigures,
  withLemmas: ExperimentResults['portfolio'],
): string {
  const part = (count: number, of: number): string => `${count} of ${of} (${percent(of === 0 ? 0 : count / of)})`;
  const each = withLemmas.map((one) => part(one.proved, one.statements)).join(', ');
  return (
    `The portfolio of scripts, nothing learned: ${part(proved, statements)}; held-out ${part(heldOut.proved, heldOut.statements)}. ` +
    `With the lemmas that self-play found, training statements, seed by seed: ${each}.`
  );
}

/**
 * Says whether the first method's mean differs from another's by more than twice the larger of their standard
 * deviations. Seeds may have different statements, but all methods of a seed have the same, so it also gives each
 * seed's difference.
 */
function verdict({ methods }: Comparison, cost: Cost, words: string): string {
  const [own, ...others] = methods;
  if (own === undefined) return '';
  const points = (difference: number): string =>
    `${difference >= 0 ? '+' : '−'}${(100 * Math.abs(difference)).toFixed(1)}`;
  const lines = others.map(({ method, rates }) => {
    const [ours, theirs] = [own.rates[cost], rates[cost]];
    const difference = ours.all.mean - theirs.all.mean;
    const spread = Math.max(ours.all.deviation, theirs.all.deviation);
    const word = difference > 2 * spread ? 'above' : difference < -2 * spread ? 'below' : 'within twice the spread of';
    const each = ours.each.map((rate, seed) => points(rate - theirs.each[seed]!)).join(', ');
    return `${word} ${method} (${points(difference)} points, spread ${(100 * spread).toFixed(1)}; seed by seed ${each})`;
  });
  return `At ${words}, ${own.method} ends ${lines.join('; ')}.`;
}
