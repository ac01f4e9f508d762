/** Held-out statements, proved by models of the run with equal samples: at its end the first and the last, between rounds the current one. */

import {
  type ArtifactRef,
  type CheckpointRef,
  type Evaluation,
  evaluationConfig,
  type ModelEvaluation,
  provesByScripts,
  type RoundEvaluation,
  triesActions,
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
 * The first model of the run and the one it has now, which samples while Lean still checks the first one's proofs. A model that never
 * trained is tried again where scripts have the run's lemmas now. Null where the configuration wants no evaluation. Ends Lean once `beside`, other work of the run in Lean, is done too.
 */
export async function evaluateHeldOut(
  run: string,
  state: RunState,
  isOpen: () => boolean,
  beside: Promise<void> | null,
): Promise<Evaluation | null> {
  if (!isWanted(state)) return null;
  let isSampled = false;
  const onSampled = (): void => {
    isSampled = true;
  };
  const { sft, checkpoint, config, nextRound } = state;
  const lastRound = Math.max(0, nextRound - 1);
  const evaluateFirst = () => evaluateModel(run, state, sft.checkpoint, 0, NOTHING, isOpen, onSampled);
  const afterFirst = async (): Promise<ModelEvaluation> => {
    await condition(() => isSampled);
    return evaluateCurrent(run, state, lastRound, isOpen);
  };
  const isOne = checkpoint.model === sft.checkpoint.model && (lastRound === 0 || !provesByScripts(config.prover));
  const models = await allPieces(() => [evaluateFirst(), ...(isOne ? [] : [afterFirst()])]);
  await beside;
  await endLean(run, state.hostQueues, 'evaluate');
  const first = models[0]!;
  const last = models.at(-1)!;
  return {
    statements: first.statements,
    samplesPerStatement: first.samplesPerStatement,
    provedFirst: first.proved,
    provedLast: last.proved,
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

/** Is the model to be evaluated after `round`? The baseline's round has the SFT model's figure at the end. */
export function isEvaluationDue(state: RunState, round: number): boolean {
  const every = state.config.evaluation.everyRounds;
  return isWanted(state) && round > 0 && every > 0 && round % every === 0;
}

/** The current model after `round`, with the samples of all rounds so far. */
export async function evaluateRound(
  run: string,
  state: RunState,
  round: number,
  isOpen: () => boolean,
): Promise<RoundEvaluation> {
  const samplesSoFar = state.outcomes.reduce((sum, outcome) => sum + outcome.counts.samples, 0);
  const evaluated = await evaluateCurrent(run, state, round, isOpen);
  await endLean(run, state.hostQueues, 'evaluate');
  return { ...evaluated, round, samplesSoFar };
}

/** The model that the run has now, over the library that it has now. */
async function evaluateCurrent(
  run: string,
  state: RunState,
  round: number,
  isOpen: () => boolean,
): Promise<ModelEvaluation> {
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
    ? await streaming('rank actions').rankActions({ run, name, config, history })
    : null;
  return evaluateModel(run, state, state.checkpoint, round, { library, ranking }, isOpen);
}

/** Results of the rounds that scripts use: proved lemmas, and a ranking by earlier tries. */
interface FromRounds {
  readonly library: ArtifactRef | null;
  readonly ranking: ArtifactRef | null;
}
const NOTHING: FromRounds = { library: null, ranking: null };

/**
 * One model on the run's held-out statements: sampled, judged, then scripts on what is left if the run has them
 * (`prover.scripts`). Done once for a model and the round whose lemmas it has.
 */
async function evaluateModel(
  run: string,
  state: RunState,
  checkpoint: CheckpointRef,
  round: number,
  { library, ranking }: FromRounds,
  isOpen: () => boolean,
  onSampled?: () => void,
): Promise<ModelEvaluation> {
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
