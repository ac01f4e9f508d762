/**
 * One round (`stp-round`): seeds → conjectures → gate → proofs, sampled and judged → selection → training. If the
 * library grows, conjectures are proved first, then statements over the enlarged library. Round 0 is the baseline: the
 * SFT model proves what it can. There are no seeds yet, so nothing is conjectured.
 */

import { type CheckpointRef, lossOf, type RoundOutcome, trainsByReward } from '@stp/config/workflow';
import { condition, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { Finished } from '../activities/control/finish-round.ts';
import {
  MODEL_DIGITS,
  type Progress,
  progressQuery,
  type RoundInput,
  type Stage,
  setPausedSignal,
} from './control/contracts.ts';
import { publish } from './control/search-attributes.ts';
import { ShardTally } from './control/shard-tally.ts';
import { StageClock } from './control/stage-clock.ts';
import { byOne } from './nodes/machine-pool.ts';
import { conjectureRound } from './stages/conjecture-round.ts';
import { proveRound } from './stages/prove-round.ts';
import { selectRound } from './stages/select-round.ts';
import { trainModel } from './stages/train.ts';

export async function stpRound(input: RoundInput): Promise<RoundOutcome> {
  const { run, round, config, hostQueues, data, history, checkpoint, replayFrom } = input;
  const { title, tally, clock, isOpen, enter } = openRound(input);
  const name = `rounds/${round}-${checkpoint.model.slice(0, MODEL_DIGITS)}`;
  const earlier = { run, round, name, config, data, history, replayFrom };

  const isConjecturing = round > 0 && config.conjectures.source !== 'none';
  if (isConjecturing) await enter('conjecture', 'choosing seeds and conjecturing');
  const library =
    round > 0 && config.library === 'grow'
      ? await byOne(hostQueues, 'grow the library', (machine) => machine.growLibrary(earlier))
      : null;
  const context = { ...earlier, library };
  const gated = isConjecturing ? await conjectureRound({ context, hostQueues, checkpoint, isOpen }) : null;

  const conjectures = gated?.conjectures ?? null;
  const played = await proveRound({ context, conjectures, hostQueues, checkpoint, tally, enter, isOpen, title });

  await enter('select', 'selecting what trains the next model');
  const finished = await selectRound({ context, hostQueues, checkpoint, gated, played });

  const trained = await trainRound(input, finished, enter);
  const { counts } = finished;
  setCurrentDetails(
    `**${title}** done · ${counts.provedThisRound} statements proved (${counts.provedEver} ever), ` +
      `${counts.conjecturesProved} of ${counts.conjecturesAttempted} conjectures proved, ${counts.conjecturesKept} kept`,
  );
  return { round, manifest: finished.manifest, checkpoint: trained, counts, secondsPerStage: clock.close() };
}

/** Starts the next stage, once the round is not paused. */
type Enter = (stage: Stage, details: string) => Promise<void>;

/** Sets up the round's progress query, its pause signal, and its clock. */
function openRound({ run, round, config, data, checkpoint, paused: isPausedAtStart }: RoundInput) {
  let paused = isPausedAtStart;
  const tally = new ShardTally();
  const clock = new StageClock();
  const title = round === 0 ? 'Baseline' : `Round ${round} of ${config.rounds}`;
  setHandler(setPausedSignal, (value) => {
    paused = value;
  });
  setHandler(
    progressQuery,
    (): Progress => ({
      run,
      stage: clock.stage,
      round,
      rounds: config.rounds,
      child: null,
      stageStartedAtMs: clock.startedAtMs,
      ...tally.figures(),
      statements: data.train.count,
      provedBaseline: null,
      provedPerRound: [],
      paused,
      waiting: null,
    }),
  );
  const enter: Enter = async (stage, details) => {
    await condition(() => !paused);
    clock.enter(stage);
    setCurrentDetails(`**${title}** · ${details}`);
    publish({ run, round, stage, model: checkpoint.model });
  };
  return { title, tally, clock, isOpen: () => !paused, enter };
}

/**
 * Trains a model on the round's examples. Returns the round's first model if there are no examples or rounds do not
 * train.
 */
async function trainRound(input: RoundInput, { examples }: Finished, enter: Enter): Promise<CheckpointRef> {
  const { run, round, config, hostQueues, data, checkpoint, sftCheckpoint } = input;
  const { model, modelThreads, seed, objective } = config;
  const { from, ...optimiser } = config.training;
  if (examples === null || from === 'none') return checkpoint;
  await enter('train', `training on ${examples.count} examples`);
  const trained = await trainModel(hostQueues, config.engines, `train on ${examples.count} weighted examples`, {
    run,
    name: `checkpoints/round-${round}`,
    examples,
    heldOut: data.sftEval,
    init: from === 'sft' ? sftCheckpoint : checkpoint,
    ...(trainsByReward(objective) ? { reference: sftCheckpoint } : {}),
    config: { model, modelThreads, seed },
    optimiser: { ...optimiser, objective: lossOf(objective) },
  });
  return trained.checkpoint;
}
