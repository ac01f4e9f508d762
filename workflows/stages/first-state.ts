/** Prepares a run for its first round: does everything that needs no machine, then trains the first model. */

import { isInWords, type RunConfig, type StartInput } from '@stp/config/workflow';
import type { PreparedData } from '../../activities/run/prepared-data.ts';
import type { RunState } from '../../activities/run/run-state.ts';
import type { Trained } from '../../activities/training/training.ts';
import { control, lean, streaming } from '../control/activity-proxies.ts';
import type { RunStatus } from '../control/run-status.ts';
import { besideTheRun } from './beside-the-run.ts';
import { trainModel } from './train.ts';

/** State of a run before it has machines: another run's state, or statements and perhaps an SFT model. */
export type Settled =
  | { readonly state: RunState }
  | { readonly state: null; readonly data: PreparedData; readonly sft: Trained | null };

/** Does everything that needs no machine. Machines cost from the first minute, so possible failures come before. */
export async function settle(run: string, start: StartInput, config: RunConfig, status: RunStatus): Promise<Settled> {
  if (config.nodes.provider !== 'local')
    await control('what machines will need is there').checkNodes({ run, nodes: config.nodes });
  let sft: Trained | null = null;
  if (start.initFrom !== undefined) {
    status.enter('data', `taking over from run ${start.initFrom}`);
    const taken = await control(`take over from ${start.initFrom}`).takeOver(run, start, config);
    if (taken.state !== null) return { state: taken.state };
    sft = taken.sft;
  }
  status.enter('data', 'preparing statements and the SFT set');
  return { state: null, data: await streaming('statements, SFT set, canaries').prepareData(run, config), sft };
}

/** Measures the portfolio beside the first training; the figures go into the run's folder. */
export async function measurePortfolio(run: string, config: RunConfig, settled: Settled): Promise<void> {
  if (isInWords(config)) return;
  const { train, heldOut } = settled.state === null ? settled.data : settled.state.data;
  const { verification } = config;
  const measuring = lean('what the fixed list of scripts proves').measurePortfolio({
    run,
    config: { verification },
    data: { train, heldOut },
  });
  await besideTheRun(measuring, 'the portfolio could not be measured');
}

/**
 * Returns the state before the first round: the state taken over, or that with the first model, trained on the
 * machines.
 */
export async function firstState(
  run: string,
  config: RunConfig,
  settled: Settled,
  hostQueues: readonly string[],
  status: RunStatus,
): Promise<RunState> {
  // The other run's cost does not count for this one.
  if (settled.state !== null) return { ...settled.state, hostQueues, machineTime: [] };
  const { data } = settled;
  let { sft } = settled;
  if (sft === null) {
    status.enter('sft', `training the first model on ${data.sft.count} examples of the library`);
    const { model, modelThreads, seed } = config;
    sft = await trainModel(hostQueues, config.engines, `SFT on ${data.sft.count} examples`, {
      run,
      name: 'checkpoints/sft',
      examples: data.sft,
      heldOut: data.sftEval,
      init: null,
      config: { model, modelThreads, seed },
      optimiser: config.sft,
    });
  }
  return {
    config,
    hostQueues,
    data,
    sft,
    checkpoint: sft.checkpoint,
    outcomes: [],
    skipped: [],
    failures: [],
    evaluations: [],
    nextRound: 0,
    replayFrom: 0,
    secondsPerStage: {},
    machineTime: [],
  };
}
