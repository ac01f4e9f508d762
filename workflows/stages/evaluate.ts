/**
 * Evaluates models of the run on held-out statements with equal samples. Between rounds it evaluates the current model. At
 * the end it evaluates the first and the last model, and the first one over the lemmas of the last, so that the difference
 * between these two is what training adds.
 */

import {
  type ArtifactRef,
  type CheckpointRef,
  type Evaluation,
  evaluationConfig,
  type ModelEvaluation,
  provesByScripts,
  type RoundEvaluation,
  triesActions,
  withoutScripts,
} from '@stp/config/workflow';
import { condition } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { control, streaming } from '../control/activity-proxies.ts';
import { MODEL_DIGITS } from '../control/contracts.ts';
import { allPieces } from '../nodes/lean-nodes.ts';
import { byOne } from '../nodes/machine-pool.ts';
import { endLean } from '../nodes/stage-clean-up.ts';
import { proveShards } from './prove-shards.ts';

const isWanted = ({ config, data }: RunState): boolean =>
  config.evaluation.samplesPerStatement > 0 && data.heldOut.count > 0;

/**
 * Evaluates the first model of the run, the current one, and the first one over the current lemmas. Each model samples
 * while Lean still checks the proofs of the one before. A model that never trained is evaluated twice, without and with
 * lemmas, if scripts can use these. Null if the configuration has no evaluation. Ends Lean after `beside`, other work of
 * the run in Lean, is done too.
 */
export async function evaluateHeldOut(
  run: string,
  state: RunState,
  isOpen: () => boolean,
  beside: Promise<void> | null,
): Promise<Evaluation | null> {
  if (!isWanted(state)) return null;
  const { sft, checkpoint, config, nextRound } = state;
  const lastRound = Math.max(0, nextRound - 1);
  const isTrained = checkpoint.model !== sft.checkpoint.model;
  const hasLemmas = config.library === 'grow' && lastRound > 0;
  let results: Promise<FromRounds> | null = null;
  const fromRounds = (): Promise<FromRounds> => {
    results ??= resultsOfRounds(run, state, lastRound);
    return results;
  };
  const firstModel: ModelTask = { run, state, checkpoint: sft.checkpoint, round: 0, results: NOTHING, isOpen };
  const evaluations: OneEvaluation[] = [(onSampled) => evaluateModel({ ...firstModel, onSampled })];
  if (isTrained || (lastRound > 0 && provesByScripts(config.prover)))
    evaluations.push(async (onSampled) =>
      evaluateModel({ run, state, checkpoint, round: lastRound, results: await fromRounds(), isOpen, onSampled }),
    );
  if (isTrained && hasLemmas) {
    // Scripts prove the same over the same lemmas, whichever model samples.
    const samplesOnly = { ...firstModel, state: { ...state, config: withoutScripts(config) }, round: lastRound };
    evaluations.push(async (onSampled) => evaluateModel({ ...samplesOnly, results: await fromRounds(), onSampled }));
  }
  const models = await inTurn(evaluations);
  await beside;
  await endLean(run, state.hostQueues, 'evaluate');
  const [first, last, firstWithLemmas] = [models[0]!, models[1] ?? models[0]!, models[2]];
  return {
    statements: first.statements,
    samplesPerStatement: first.samplesPerStatement,
    provedFirst: first.proved,
    provedLast: last.proved,
    ...(firstWithLemmas === undefined ? {} : { provedFirstWithLemmas: firstWithLemmas.proved }),
    passAtK: { first: first.passAtK, last: last.passAtK },
    ...(first.provedByScripts !== undefined && last.provedByScripts !== undefined
      ? {
          withScripts: {
            first: first.proved + first.provedByScripts,
            last: last.proved + last.provedByScripts,
          },
        }
      : {}),
  };
}

/** @param onSampled called when the model has nothing left to sample */
type OneEvaluation = (onSampled: () => void) => Promise<ModelEvaluation>;

/** Runs evaluations side by side. Each begins when the model of the one before has nothing left to sample. */
function inTurn(evaluations: readonly OneEvaluation[]): Promise<ModelEvaluation[]> {
  let sampled = 0;
  return allPieces(() =>
    evaluations.map(async (evaluate, index) => {
      await condition(() => sampled >= index);
      return evaluate(() => {
        sampled = index + 1;
      });
    }),
  );
}

/**
 * Is the model evaluated after `round`? The final evaluation gives the SFT model's figure, so the baseline's round has
 * none.
 */
export function isEvaluationDue(state: RunState, round: number): boolean {
  const every = state.config.evaluation.everyRounds;
  return isWanted(state) && round > 0 && every > 0 && round % every === 0;
}

/** Evaluates the current model after `round`, over the samples of all rounds so far. */
export async function evaluateRound(
  run: string,
  state: RunState,
  round: number,
  isOpen: () => boolean,
): Promise<RoundEvaluation> {
  const samplesSoFar = state.outcomes.reduce((sum, outcome) => sum + outcome.counts.samples, 0);
  const results = await resultsOfRounds(run, state, round);
  const evaluated = await evaluateModel({ run, state, checkpoint: state.checkpoint, round, results, isOpen });
  await endLean(run, state.hostQueues, 'evaluate');
  return { ...evaluated, round, samplesSoFar };
}

/** Grows the library after `round`, and ranks actions by the tries so far, where the configuration has these. */
async function resultsOfRounds(run: string, state: RunState, round: number): Promise<FromRounds> {
  const { config, data, replayFrom, hostQueues } = state;
  const history = state.outcomes.map((outcome) => outcome.manifest);
  const name = `evaluation/library-${round}`;
  const library =
    config.library === 'grow' && round > 0
      ? await byOne(hostQueues, 'grow the library', (machine) =>
          machine.growLibrary({ run, round, name, config, data, history, replayFrom }),
        )
      : null;
  const ranking = triesActions(config.prover)
    ? await streaming('rank actions').rankActions({ run, name, config, data, history })
    : null;
  return { library, ranking };
}

/** Results of the rounds that scripts use: proved lemmas, and a ranking from earlier tries. */
interface FromRounds {
  readonly library: ArtifactRef | null;
  readonly ranking: ArtifactRef | null;
}
const NOTHING: FromRounds = { library: null, ranking: null };

interface ModelTask {
  readonly run: string;
  readonly state: RunState;
  readonly checkpoint: CheckpointRef;
  /** Last round whose results scripts use; 0: none. */
  readonly round: number;
  readonly results: FromRounds;
  readonly isOpen: () => boolean;
  /** Called when the model has nothing left to sample. */
  readonly onSampled?: () => void;
}

/**
 * Evaluates one model on the run's held-out statements: samples and judges proofs, then tries scripts on the rest if
 * configured (`prover.scripts`). Done once for each model and round of lemmas.
 */
async function evaluateModel({
  run,
  state,
  checkpoint,
  round,
  results: { library, ranking },
  isOpen,
  onSampled,
}: ModelTask): Promise<ModelEvaluation> {
  const { data, hostQueues } = state;
  const config = evaluationConfig(state.config, state.config.evaluation.samplesPerStatement);
  const { samplesPerStatement } = config.evaluation;
  const model = checkpoint.model.slice(0, MODEL_DIGITS);
  const name = round === 0 ? `evaluation/${model}` : `evaluation/${model}-${round}`;
  const planned = await control('cut held-out statements into shards').planEvaluation({ run, config, data });
  const shards = await proveShards({
    run,
    hostQueues,
    name,
    shards: planned,
    checkpoint,
    config,
    library,
    ranking,
    isOpen,
    onShard: () => undefined,
    ...(onSampled ? { onSampled } : {}),
  });
  const collected = await byOne(hostQueues, 'count proofs, estimate pass@k', (machine) =>
    machine.collectEvaluation({
      run,
      name,
      statements: data.heldOut,
      samplesPerStatement,
      shards,
      withScripts: provesByScripts(config.prover),
      model: checkpoint.model,
      round,
      seed: config.seed,
    }),
  );
  return collected.evaluation;
}
