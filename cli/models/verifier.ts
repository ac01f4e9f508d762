/**
 * `bin/stp verifier`: makes pairs of right and wrong texts from a run, trains an ensemble of verifiers on them, and
 * measures it.
 */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { Preference, RunConfig } from '@stp/config';
import { Ensemble, embeddedTrainer, trainEnsemble } from '@stp/language-model';
import { type Combination, pairsOf, randomStream } from '@stp/selfplay';
import { measureEnsemble } from '../../activities/ensemble/measure-ensemble.ts';
import { readPreferences, writePreferences } from '../../activities/ensemble/preference-file.ts';
import { type Forms, triedHeldOut, triedInRounds } from '../../activities/ensemble/tried-prompts.ts';
import { proverForms, stateForms } from '../../activities/prover-forms.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { findModel } from '../shared/model-source.ts';
import { runUri } from '../shared/run-uri.ts';

const STEPS_PER_LINE = 50;

export interface PairsOptions {
  readonly run: string;
  readonly to: string;
  readonly pairsPerPrompt: number;
  readonly seed: number;
}

export async function pairs({ run, to, pairsPerPrompt, seed }: PairsOptions): Promise<void> {
  const found = await pairsOfRun(run, pairsPerPrompt, seed);
  await writePreferences(resolve(to), found);
  console.log(`${found.length} pairs of ${new Set(found.map(({ prompt }) => prompt)).size} prompts in ${resolve(to)}`);
}

async function pairsOfRun(run: string, pairsMax: number, seed: number): Promise<Preference[]> {
  const { store, state } = await openRun(runUri(run));
  const pairs: Preference[] = [];
  const byPrompt = new Map<string, Parameters<typeof pairsOf>[0]['tries'][number][]>();
  for await (const { prompt, tries } of triedInRounds(store, state, await formsOf(state.config)))
    byPrompt.set(prompt, [...(byPrompt.get(prompt) ?? []), ...tries]);
  for (const [prompt, tries] of byPrompt)
    pairs.push(...pairsOf({ prompt, tries }, pairsMax, randomStream(seed, 'pairs', prompt)));
  return pairs;
}

export interface TrainVerifierOptions extends Omit<PairsOptions, 'to' | 'run'> {
  readonly run?: string;
  readonly pairs?: string;
  readonly model: string;
  readonly to: string;
  readonly members: number;
  readonly beta: number;
  readonly steps: number;
  readonly learningRate: number;
}

export async function train(options: TrainVerifierOptions): Promise<void> {
  const { run, members, beta, steps, learningRate, seed } = options;
  const directory = resolve(options.to);
  const found =
    options.pairs === undefined
      ? await pairsOfRun(run!, options.pairsPerPrompt, seed)
      : await readPreferences(resolve(options.pairs));
  console.log(`${found.length} pairs of ${new Set(found.map(({ prompt }) => prompt)).size} prompts`);
  const model = await findModel(options.model, join(workerSettings().cacheDirectory, 'models'));
  await trainEnsemble(
    embeddedTrainer({ threads: availableParallelism() }),
    {
      pairs: found,
      initDirectory: model.directory,
      directory,
      members,
      beta,
      steps,
      tokensPerStep: 2_048,
      learningRate,
      warmupSteps: Math.min(20, Math.floor(steps / 10)),
      seed,
    },
    {
      onProgress: (member, { step, loss }) => {
        if (step % STEPS_PER_LINE === 0 || step === steps)
          console.log(`  member ${member + 1} of ${members}: step ${step} of ${steps}, loss ${loss.toFixed(3)}`);
      },
    },
  );
  console.log(`the ensemble is in ${directory}`);
}

export interface MeasureOptions extends Combination {
  readonly run: string;
  readonly verifier: string;
  readonly json?: boolean;
}

export async function measure({ run, verifier, by, caution, json }: MeasureOptions): Promise<void> {
  const { store, state } = await openRun(runUri(run));
  const ensemble = await Ensemble.open(resolve(verifier), { threads: availableParallelism() });
  try {
    const tried = triedHeldOut(store, await formsOf(state.config));
    const figures = await measureEnsemble(ensemble, tried, { by, caution });
    if (json === true) return console.log(JSON.stringify(figures));
    const share = (value: number | null): string => (value === null ? 'none' : value.toFixed(3));
    const { statements, candidates, right } = figures;
    console.log(`${candidates} different proofs of ${statements} held-out statements, ${right} of them right`);
    console.log(`  area under the curve    ${share(figures.area)}, within statements ${share(figures.areaWithin)}`);
    console.log(`  of the members          ${figures.memberAreas.map(share).join('  ')}`);
    console.log(`  calibration error       ${share(figures.calibrationError)}`);
    console.log(`  disagreement            ${share(figures.disagreement)}`);
    for (const { n, share: chosen, atRandom } of figures.bestOf)
      console.log(`  best of ${String(n).padEnd(15)} ${share(chosen)} (at random ${share(atRandom)})`);
  } finally {
    await ensemble.close();
  }
}

async function formsOf({ prover }: Pick<RunConfig, 'prover'>): Promise<Forms> {
  const sources = repositorySources();
  return { proofs: await proverForms(sources, prover), states: await stateForms(sources, prover) };
}
