/**
 * Compares what a model can be trained for: expert iteration, GRPO, flows over proof states, and best-first search with and without
 * verifiers; and a verifier that chooses among the samples of expert iteration. Methods that write whole proofs start from one SFT model
 * of a seed, methods that write tactics from another. Finished runs are not repeated.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Summary, summarySchema } from '@stp/config/records';
import { execa } from 'execa';
import type { EnsembleFigures } from '../../activities/ensemble/measure-ensemble.ts';
import { STP } from './command.ts';
import type { FinishedRun } from './curves.ts';
import { figuresOfRun, type RunFigures } from './objective-figures.ts';

interface ObjectiveMethod {
  readonly label: string;
  readonly preset: string;
  readonly set: Readonly<Record<string, string>>;
  /** The method whose SFT model it starts from; null: it trains its own. */
  readonly from: string | null;
  /** Are its samples drawn one by one, so that their number compares? A search is one sample, whatever it took. */
  readonly samples: boolean;
}

/** Tactic by tactic; all time of Lean is counted, so nothing is checked beside the searches. */
const BY_STEPS = { 'prover.mode': 'steps', 'prover.search.hindsight': 'false', 'prover.search.leanSeconds': '0.5' };

/** A method stands below the one that it starts from, and below the one whose searches train its verifiers. */
export const METHODS: Readonly<Record<string, ObjectiveMethod>> = {
  'expert-iteration': { label: 'expert iteration', preset: 'expert-iteration', set: {}, from: null, samples: true },
  grpo: { label: 'GRPO', preset: 'grpo', set: {}, from: 'expert-iteration', samples: true },
  gflownet: { label: 'flows', preset: 'gflownet', set: {}, from: null, samples: true },
  search: { label: 'search', preset: 'expert-iteration', set: BY_STEPS, from: 'gflownet', samples: false },
  'search-verified': {
    label: 'search with verifiers',
    preset: 'expert-iteration',
    set: BY_STEPS,
    from: 'gflownet',
    samples: false,
  },
};
export const OBJECTIVE_METHODS = Object.keys(METHODS);
const SEARCHED = 'search';
const VERIFIED = 'search-verified';
const CHOSEN_AMONG = 'expert-iteration';

/** Samples are of the model's own distribution, nothing helps it, and every statement is tried in every round. */
const SHARED = {
  library: 'fixed',
  'prover.lemmas': 'name',
  'prover.scripts': 'none',
  'sampling.temperature': '1',
  'sampling.topP': '1',
  'selection.reattemptProbability': '1',
  'selection.reattemptPassRateBelow': '1',
};
const MEMBERS = 3;
const VERIFIER_STEPS = 150;

export interface ObjectivesOptions {
  readonly seeds: readonly number[];
  readonly rounds: number;
  /** Some of `OBJECTIVE_METHODS`; those that they start from are run as well. */
  readonly methods: readonly string[];
  /** Where the runs lie: one folder a method and seed. */
  readonly directory: string;
  readonly set: Readonly<Record<string, string>>;
}

export interface ObjectiveRun extends FinishedRun, RunFigures {
  readonly summary: Summary;
}

export interface SeedResult {
  readonly seed: number;
  readonly runs: ReadonlyMap<string, ObjectiveRun>;
  /** That chooses among the samples of expert iteration; null where that was not run. */
  readonly verifier: EnsembleFigures | null;
}

/** The methods with all that they need, in the order of `METHODS`. */
export function withNeeds(methods: readonly string[]): string[] {
  const wanted = new Set(methods);
  if (wanted.has(VERIFIED)) wanted.add(SEARCHED);
  for (const name of [...wanted]) if (METHODS[name]!.from !== null) wanted.add(METHODS[name]!.from);
  return OBJECTIVE_METHODS.filter((name) => wanted.has(name));
}

export async function compareObjectives(
  options: ObjectivesOptions,
  say: (line: string) => void,
): Promise<readonly SeedResult[]> {
  const methods = withNeeds(options.methods);
  const results: SeedResult[] = [];
  for (const seed of options.seeds) {
    const runs = new Map<string, ObjectiveRun>();
    for (const method of methods) {
      const found = await finishedRun(method, seed, options);
      runs.set(method, found);
      const { summary, leanSeconds } = found;
      const lean = [...leanSeconds.values()].reduce((sum, seconds) => sum + seconds, 0);
      const proved = summary.provedPerRound.at(-1) ?? summary.provedBaseline;
      say(`${method}, seed ${seed}: ${proved} of ${summary.statements}, ${lean.toFixed(0)} s of Lean`);
    }
    const verifier = methods.includes(CHOSEN_AMONG) ? await verifierFigures(seed, options) : null;
    if (verifier !== null)
      say(
        `verifier, seed ${seed}: area ${verifier.area?.toFixed(3)}, within statements ${verifier.areaWithin?.toFixed(3)}`,
      );
    results.push({ seed, runs, verifier });
  }
  return results;
}

const folderOf = (name: string, seed: number, { directory }: ObjectivesOptions): string =>
  join(directory, `${name}-seed-${seed}`);

const run = (words: readonly string[]) => execa(STP, words, { stdio: ['ignore', 'pipe', 'inherit'] });

async function finishedRun(name: string, seed: number, options: ObjectivesOptions): Promise<ObjectiveRun> {
  const { preset, set, from } = METHODS[name]!;
  const folder = folderOf(name, seed, options);
  const path = join(folder, 'summary.json');
  if (!existsSync(path)) {
    const verifiers =
      name === VERIFIED ? { 'prover.search.verifier': await trainVerifiers(SEARCHED, seed, options) } : {};
    const values = Object.entries({ ...SHARED, ...options.set, ...set, ...verifiers }).flatMap(([key, value]) => [
      '--set',
      `${key}=${value}`,
    ]);
    const origin = from === null ? [] : ['--init-from', folderOf(from, seed, options), '--from-round', 'sft'];
    const words = ['selfplay', '--preset', preset, '--rounds', `${options.rounds}`, '--seed', `${seed}`];
    await run([...words, '--run-dir', folder, ...origin, ...values]);
  }
  const summary = summarySchema.parse(JSON.parse(await readFile(path, 'utf8')));
  return { summary, ...(await figuresOfRun(folder)) };
}

/** An ensemble by DPO on what the method tried, from its SFT model. Its folder. */
async function trainVerifiers(method: string, seed: number, options: ObjectivesOptions): Promise<string> {
  const origin = folderOf(method, seed, options);
  const folder = folderOf(method === CHOSEN_AMONG ? 'verifier' : `verifier-of-${method}`, seed, options);
  if (!existsSync(join(folder, 'ensemble.json'))) {
    const size = ['--members', `${MEMBERS}`, '--steps', `${VERIFIER_STEPS}`, '--seed', `${seed}`];
    await run(['verifier', 'train', '--run', origin, '--model', `${origin}@sft`, '--to', folder, ...size]);
  }
  return folder;
}

/** Trained on what expert iteration tried, measured on the samples of its held-out statements. */
async function verifierFigures(seed: number, options: ObjectivesOptions): Promise<EnsembleFigures> {
  const folder = await trainVerifiers(CHOSEN_AMONG, seed, options);
  const origin = folderOf(CHOSEN_AMONG, seed, options);
  const { stdout } = await run(['verifier', 'eval', '--run', origin, '--verifier', folder, '--caution', '1', '--json']);
  return JSON.parse(stdout) as EnsembleFigures;
}
