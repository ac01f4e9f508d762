/**
 * Compares self-play with expert iteration and parallel sampling at equal numbers of samples: STP's own claim (figures
 * 2 and 5 of arXiv 2502.00212), at a size for a laptop. Every method starts from the same SFT model of its seed.
 * Finished runs are not repeated, so an interrupted experiment continues.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { type PortfolioFigures, type Summary, summarySchema } from '../../data/schemas/round.ts';
import { type Comparison, compare, type MethodResult, type Spread, spreadOf } from './curves.ts';

interface Method {
  readonly name: string;
  readonly preset: string;
  readonly set: Readonly<Record<string, string>>;
}

export interface ExperimentOptions {
  readonly seeds: readonly number[];
  /** Rounds of self-play; baselines, which draw more samples in a round, get `baselineRounds`. */
  readonly rounds: number;
  readonly baselineRounds: number;
  /** Samples a statement in a round of self-play; baselines, and every method's round 0, draw twice as many (stp.md §2.12). */
  readonly samples: number;
  /** Names of the baselines that take part. */
  readonly baselines: readonly string[];
  /** Where the runs lie: one folder a method and seed. */
  readonly directory: string;
  /** Values that all methods share, by dotted key. */
  readonly set: Readonly<Record<string, string>>;
  /** Values for self-play alone. */
  readonly selfPlaySet: Readonly<Record<string, string>>;
}

const SELF_PLAY = 'self-play';

/** Baselines of stp.md §2.12, by the names of their presets. */
const BASELINES: Readonly<Record<string, string>> = {
  'expert-iteration': 'expert iteration',
  'expert-iteration-optimised': 'expert iteration, optimised',
  'parallel-sampling': 'parallel sampling',
};
export const BASELINE_PRESETS: readonly string[] = Object.keys(BASELINES);

/** Runs what is missing and compares all. `say` gets a line a run. */
export async function selfplayVersusBaselines(
  options: ExperimentOptions,
  say: (line: string) => void,
): Promise<{ comparison: Comparison; results: MethodResult[] }> {
  const methods: Method[] = [
    { name: SELF_PLAY, preset: 'embedded', set: options.selfPlaySet },
    ...options.baselines.map((preset) => ({ name: BASELINES[preset] ?? preset, preset, set: {} })),
  ];
  const summaries = new Map<string, Summary[]>(methods.map(({ name }) => [name, []]));
  for (const seed of options.seeds)
    for (const method of methods) {
      const started = performance.now();
      const summary = await finishedRun(method, seed, options);
      summaries.get(method.name)!.push(summary);
      const seconds = ((performance.now() - started) / 1_000).toFixed(0);
      const proved = summary.provedPerRound.at(-1) ?? summary.provedBaseline;
      say(`${method.name}, seed ${seed}: ${proved} of ${summary.statements}, ${summary.samples} samples, ${seconds} s`);
    }
  const results = methods.map(({ name }) => ({ method: name, summaries: summaries.get(name)! }));
  return { comparison: compare(results), results };
}

function runFolder(method: Method, seed: number, directory: string): string {
  return join(directory, `${method.preset}-seed-${seed}`);
}

async function finishedRun(method: Method, seed: number, options: ExperimentOptions): Promise<Summary> {
  const { directory, samples } = options;
  const isSelfPlay = method.name === SELF_PLAY;
  const rounds = isSelfPlay ? options.rounds : options.baselineRounds;
  const folder = runFolder(method, seed, directory);
  const summaryPath = join(folder, 'summary.json');
  if (!existsSync(summaryPath)) {
    const values = Object.entries({
      'sampling.samplesFirstRound': `${2 * samples}`,
      'sampling.samplesPerStatement': `${isSelfPlay ? samples : 2 * samples}`,
      ...options.set,
      ...method.set,
    }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const origin = runFolder({ name: SELF_PLAY, preset: 'embedded', set: {} }, seed, directory);
    const shared = isSelfPlay ? [] : ['--init-from', origin, '--from-round', 'sft'];
    const words = ['selfplay', '--preset', method.preset, '--rounds', `${rounds}`, '--seed', `${seed}`];
    const command = join(import.meta.dirname, '..', '..', 'bin', 'stp');
    await execa(command, [...words, '--run-dir', folder, ...shared, ...values], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return summarySchema.parse(JSON.parse(await readFile(summaryPath, 'utf8')));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const withSpread = ({ mean, deviation }: Spread): string => `${percent(mean)} ± ${(100 * deviation).toFixed(1)}`;

/** The comparison as a Markdown table, and in one sentence whether the aim is met. */
export function comparisonTable(comparison: Comparison): string {
  const rows = comparison.methods.map(({ method, rate, rateAtHalf, rates, heldOut }) => {
    const held = heldOut.length === 0 ? '–' : withSpread(spreadOf(heldOut));
    return `| ${method} | ${withSpread(rateAtHalf)} | ${withSpread(rate)} | ${rates.map(percent).join(', ')} | ${held} |`;
  });
  const first = comparison.methods[0]?.heldOutFirst ?? [];
  return [
    '| method | cumulative pass rate, half of the samples | all samples | each seed | held-out, last model |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Compared at ${comparison.samples.join(', ')} samples (seed by seed). Held-out, SFT model: ${first.length === 0 ? '–' : withSpread(spreadOf(first))}.`,
    verdict(comparison),
  ].join('\n');
}

/** The line to beat: it draws no samples, so it has no place on their axis. */
export function portfolioLine({ proved, statements, heldOut }: PortfolioFigures): string {
  const part = (count: number, of: number): string => `${count} of ${of} (${percent(of === 0 ? 0 : count / of)})`;
  return `The portfolio of scripts, nothing learned: ${part(proved, statements)}; held-out ${part(heldOut.proved, heldOut.statements)}.`;
}

/** Met when self-play's mean is above every baseline's by more than the larger standard deviation of the two. */
function verdict({ methods }: Comparison): string {
  const [own, ...baselines] = methods;
  if (own === undefined) return '';
  const lines = baselines.map(({ method, rate }) => {
    const difference = own.rate.mean - rate.mean;
    const spread = Math.max(own.rate.deviation, rate.deviation);
    const word = difference > spread ? 'above' : difference < -spread ? 'below' : 'within the spread of';
    return `${word} ${method} (${difference >= 0 ? '+' : '−'}${(100 * Math.abs(difference)).toFixed(1)} points, spread ${(100 * spread).toFixed(1)})`;
  });
  return `Self-play ends ${lines.join('; ')}.`;
}
