/**
 * Compares what a model can be trained for: expert iteration, GRPO, and a verifier that chooses among the samples of expert iteration. All
 * start from the same SFT model of a seed, with equally many samples a round. Finished runs are not repeated.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import type { EnsembleFigures } from '../../activities/ensemble/measure-ensemble.ts';
import { readRecords } from '../../activities/records/record-files.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { readManifests } from '../../activities/run/history.ts';
import { provedSchema } from '../../data/schemas/records.ts';
import { type Summary, summarySchema } from '../../data/schemas/round.ts';
import { displayProof } from '../../selfplay/prompts.ts';
import { spreadOf } from './curves.ts';

const METHODS = { 'expert-iteration': 'expert iteration', grpo: 'GRPO' } as const;
type Method = keyof typeof METHODS;
const METHOD_NAMES = Object.keys(METHODS) as Method[];

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
  /** Where the runs lie: one folder a method and seed. */
  readonly directory: string;
  readonly set: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly summary: Summary;
  readonly leanSeconds: number;
  /** Means over the statements that were proved, of all rounds together. */
  readonly proofs: number;
  readonly premiseSets: number;
}

export interface SeedResult {
  readonly seed: number;
  readonly runs: Readonly<Record<Method, Outcome>>;
  readonly verifier: EnsembleFigures;
}

const command = join(import.meta.dirname, '..', '..', 'bin', 'stp');

export async function compareObjectives(
  options: ObjectivesOptions,
  say: (line: string) => void,
): Promise<readonly SeedResult[]> {
  const results: SeedResult[] = [];
  for (const seed of options.seeds) {
    const runs = {} as Record<Method, Outcome>;
    for (const method of METHOD_NAMES) {
      runs[method] = await finishedRun(method, seed, options);
      const { summary, leanSeconds } = runs[method];
      const proved = summary.provedPerRound.at(-1);
      say(`${method}, seed ${seed}: ${proved} of ${summary.statements}, ${leanSeconds.toFixed(0)} s of Lean`);
    }
    const verifier = await verifierFigures(seed, options);
    say(
      `verifier, seed ${seed}: area ${verifier.area?.toFixed(3)}, within statements ${verifier.areaWithin?.toFixed(3)}`,
    );
    results.push({ seed, runs, verifier });
  }
  return results;
}

const folderOf = (name: string, seed: number, { directory }: ObjectivesOptions): string =>
  join(directory, `${name}-seed-${seed}`);

const run = (words: readonly string[]) => execa(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });

async function finishedRun(method: Method, seed: number, options: ObjectivesOptions): Promise<Outcome> {
  const folder = folderOf(method, seed, options);
  const path = join(folder, 'summary.json');
  if (!existsSync(path)) {
    const values = Object.entries({ ...SHARED, ...options.set }).flatMap(([key, value]) => [
      '--set',
      `${key}=${value}`,
    ]);
    const first = method === METHOD_NAMES[0];
    const origin = first ? [] : ['--init-from', folderOf(METHOD_NAMES[0]!, seed, options), '--from-round', 'sft'];
    const words = ['selfplay', '--preset', method, '--rounds', `${options.rounds}`, '--seed', `${seed}`];
    await run([...words, '--run-dir', folder, ...origin, ...values]);
  }
  const summary = summarySchema.parse(JSON.parse(await readFile(path, 'utf8')));
  return { summary, ...(await costsAndVariety(folder)) };
}

/** Lean's time for samples, and how many different proofs and sets of premises a proved statement has. */
async function costsAndVariety(folder: string): Promise<Omit<Outcome, 'summary'>> {
  const { store, state } = await openRun(pathToFileURL(folder).href);
  const manifests = await readManifests(
    store,
    state.outcomes.map(({ manifest }) => manifest),
  );
  const proofs = new Map<string, Set<string>>();
  const premises = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, statement: string, value: string): void => {
    to.set(statement, (to.get(statement) ?? new Set()).add(value));
  };
  for (const { proved } of manifests)
    for await (const proof of readRecords(store, proved, provedSchema)) {
      add(proofs, proof.statementId, displayProof(proof.proof));
      add(premises, proof.statementId, [...proof.premises].sort().join(' '));
    }
  const mean = (sets: Map<string, Set<string>>): number =>
    [...sets.values()].reduce((sum, set) => sum + set.size, 0) / Math.max(1, sets.size);
  const checkMs = manifests.flatMap(({ shards }) => shards).reduce((sum, shard) => sum + shard.checkMs, 0);
  return { leanSeconds: checkMs / 1_000, proofs: mean(proofs), premiseSets: mean(premises) };
}

/** Trained on what expert iteration tried, measured on the samples of its held-out statements. */
async function verifierFigures(seed: number, options: ObjectivesOptions): Promise<EnsembleFigures> {
  const origin = folderOf('expert-iteration', seed, options);
  const folder = folderOf('verifier', seed, options);
  if (!existsSync(join(folder, 'ensemble.json'))) {
    const size = ['--members', `${MEMBERS}`, '--steps', `${VERIFIER_STEPS}`, '--seed', `${seed}`];
    await run(['verifier', 'train', '--run', origin, '--model', `${origin}@sft`, '--to', folder, ...size]);
  }
  const { stdout } = await run(['verifier', 'eval', '--run', origin, '--verifier', folder, '--caution', '1', '--json']);
  return JSON.parse(stdout) as EnsembleFigures;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Markdown: one row a method, means and sample standard deviations over the seeds. */
export function objectivesTable(results: readonly SeedResult[]): string {
  const spread = (values: readonly number[], digits: number, scale = 1): string => {
    const { mean, deviation } = spreadOf(values);
    return `${(scale * mean).toFixed(digits)} ± ${(scale * deviation).toFixed(digits)}`;
  };
  const rows = METHOD_NAMES.map((method) => {
    const of = results.map(({ runs }) => runs[method]);
    const rounds = of.map(({ summary }) => [summary.provedBaseline, ...summary.provedPerRound].join(', ')).join('; ');
    const heldOut = of.map(({ summary }) => summary.heldOut);
    const last = heldOut.flatMap((evaluation) => (evaluation === null ? [] : [evaluation.passAtK.last]));
    const passAt = (k: number): string => {
      const found = last.flatMap((all) => all.filter((pass) => pass.k === k));
      if (found.length === 0) return '–';
      const intervals = found.map(({ lower, upper }) => `${percent(lower)}–${percent(upper)}`).join(', ');
      return `${spread(
        found.map(({ mean }) => mean),
        1,
        100,
      )} % (${intervals})`;
    };
    const kMax = Math.max(...last.flatMap((all) => all.map(({ k }) => k)));
    return `| ${METHODS[method]} | ${rounds} | ${passAt(1)} | ${passAt(kMax)} | ${spread(
      of.map(({ proofs }) => proofs),
      2,
    )} | ${spread(
      of.map(({ premiseSets }) => premiseSets),
      2,
    )} | ${of.map(({ leanSeconds }) => leanSeconds.toFixed(0)).join(', ')} |`;
  });
  const figures = results.map(({ verifier }) => verifier);
  const numbers = (figures[0]?.bestOf ?? []).map(({ n }) => n);
  const curve = numbers.map((n) => {
    const shares = figures.flatMap(({ bestOf }) => bestOf.filter((point) => point.n === n).map(({ share }) => share));
    return `${n}: ${spread(shares, 1, 100)} %`;
  });
  const area = (pick: (one: EnsembleFigures) => number | null): string =>
    spread(
      figures.map((one) => pick(one) ?? Number.NaN),
      3,
    );
  return [
    '| method | statements proved after each round, seed by seed | held-out pass@1, last model (95 % intervals) | held-out pass@k, most samples | different proofs a statement | different premise sets | Lean, s |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Verifier (${MEMBERS} members by DPO on expert iteration's tries): area under the curve ${area((one) => one.area)}, within statements ${area((one) => one.areaWithin)}; ` +
      `calibration error ${area((one) => one.calibrationError)}; disagreement ${area((one) => one.disagreement)}. ` +
      `Held-out statements whose chosen proof of n is right, among the different samples of the first and the last model: ${curve.join(', ')}.`,
  ].join('\n');
}
