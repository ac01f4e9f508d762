/**
 * One round (`stp-round`): seeds → conjectures → gate → proofs, sampled and judged (where the library grows, of conjectures
 * first, then of statements over what they add to it) → selection → training. Round 0 is the baseline: the SFT model proves what it can; there are no seeds yet, so nothing is conjectured.
 */

import { type ArtifactRef, lossOf, type RoundOutcome, trainsByReward } from '@stp/config/workflow';
import { condition, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { streaming } from './control/activity-proxies.ts';
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
import { readyNodes } from './nodes/ready-nodes.ts';
import { conjectureTexts } from './stages/conjecture-texts.ts';
import { gateConjectures } from './stages/gate-conjectures.ts';
import { matchConjectures } from './stages/match-conjectures.ts';
import { proveRound } from './stages/prove-round.ts';
import { trainModel } from './stages/train.ts';

export async function stpRound(input: RoundInput): Promise<RoundOutcome> {
  const { run, round, config, hostQueues, data, history } = input;
  const name = `rounds/${round}-${input.checkpoint.model.slice(0, MODEL_DIGITS)}`;
  const played = { run, round, name, config, data, history, replayFrom: input.replayFrom };
  let paused = input.paused;
  const tally = new ShardTally();
  const clock = new StageClock();

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
  const title = round === 0 ? 'Baseline' : `Round ${round} of ${config.rounds}`;
  const enter = async (stage: Stage, details: string): Promise<void> => {
    await condition(() => !paused);
    clock.enter(stage);
    setCurrentDetails(`**${title}** · ${details}`);
    publish({ run, round, stage, model: input.checkpoint.model });
  };

  let before: ArtifactRef | null = null;
  let conjectures = null;
  let gated = null;
  const isConjecturing = round > 0 && config.conjectures.source !== 'none';
  if (isConjecturing) await enter('conjecture', 'choosing seeds and conjecturing');
  if (round > 0 && config.library === 'grow')
    before = await byOne(hostQueues, 'grow the library', (machine) => machine.growLibrary(played));
  if (isConjecturing) {
    const [plan] = await Promise.all([
      byOne(hostQueues, 'choose seeds and lemmas', (machine) =>
        machine.planConjectures({ ...played, library: before }),
      ),
      readyNodes(run, hostQueues, input.checkpoint),
    ]);
    if (plan !== null) {
      const { prover, sampling, conjectures: conjecturing, seed, modelThreads, verification } = config;
      const texts = await conjectureTexts(hostQueues, {
        run,
        name,
        plan,
        history,
        checkpoint: input.checkpoint,
        config: { prover, sampling, conjectures: conjecturing, seed, modelThreads, verification },
      });
      gated = await gateConjectures(hostQueues, { ...played, library: before, plan, texts }, () => !paused);
      conjectures = gated.conjectures;
    }
  }

  const { shards, rates, proved, disagreements, library } = await proveRound({
    context: { ...played, library: before },
    conjectures,
    ...{ hostQueues, checkpoint: input.checkpoint, tally, enter, isOpen: () => !paused, title },
  });
  const context = { ...played, library };
  await enter('select', 'selecting what trains the next model');
  const chosen =
    conjectures === null
      ? null
      : await streaming('choose conjectures').chooseConjectures({
          ...context,
          conjectures,
          rates,
          proved,
        });
  const matched =
    chosen === null
      ? null
      : await matchConjectures({ run, name, hostQueues, chosen, checkpoint: input.checkpoint, config });
  const { objective, seed } = config;
  const rewards = trainsByReward(objective)
    ? await streaming('reward the samples').rewardRound({
        ...{ run, name, shards },
        config: { rewards: objective.rewards, seed },
      })
    : null;
  const finished = await streaming('filter, weigh and write the manifest').finishRound({
    ...context,
    ...(rewards === null ? {} : { rewards }),
    modelIn: input.checkpoint.model,
    shards,
    conjectures,
    conjecturesMade: gated?.made ?? 0,
    gate: gated?.counts ?? {},
    ...(gated?.ranker === undefined ? {} : { ranker: gated.ranker }),
    rates,
    proved,
    disagreements,
    conjecturesKept: chosen?.chosen ?? null,
    conjecturesMatched: matched,
  });

  let checkpoint = input.checkpoint;
  const { from, ...optimiser } = config.training;
  if (finished.examples !== null && from !== 'none') {
    await enter('train', `training on ${finished.examples.count} examples`);
    const { model, modelThreads } = config;
    const label = `train on ${finished.examples.count} weighted examples`;
    const trained = await trainModel(hostQueues, config.engines, label, {
      run,
      name: `checkpoints/round-${round}`,
      examples: finished.examples,
      heldOut: data.sftEval,
      init: from === 'sft' ? input.sftCheckpoint : input.checkpoint,
      ...(trainsByReward(objective) ? { reference: input.sftCheckpoint } : {}),
      config: { model, modelThreads, seed },
      optimiser: { ...optimiser, objective: lossOf(objective) },
    });
    checkpoint = trained.checkpoint;
  }
  const { counts } = finished;
  setCurrentDetails(
    `**${title}** done · ${counts.provedThisRound} statements proved (${counts.provedEver} ever), ` +
      `${counts.conjecturesProved} of ${counts.conjecturesAttempted} conjectures proved, ${counts.conjecturesKept} kept`,
  );
  return { round, manifest: finished.manifest, checkpoint, counts, secondsPerStage: clock.close() };
}
