/**
 * A training on a run's machines: by Levanter on all of them together, be it one; by PyTorch on all if it is told so; else on
 * one, or another where that has no space left. Where one of several fails or is lost the others are ended, and all begin anew from the last state.
 */

import { HEARTBEAT_TIMEOUT_MS, type LevanterEngine, type RunConfig } from '@stp/config/workflow';
import { ApplicationFailure, log, proxyActivities } from '@temporalio/workflow';
import type { HostActivities } from '../../activities/index.ts';
import type { Trained, TrainModelInput } from '../../activities/training/training.ts';
import { host } from '../control/activity-proxies.ts';
import { causes } from '../control/causes.ts';
import { onEveryNode } from '../nodes/every-node.ts';
import { byOne } from '../nodes/machine-pool.ts';

/** Most tries of one training. When a machine is lost the others often fail first: at the next try it is missed. */
const TRIES_MAX = 4;
const START_SECONDS = 120;

/** Work on a machine that is to be there now: where nobody takes it, the machine is lost. */
const present = (taskQueue: string, summary: string, maximumAttempts: number) =>
  proxyActivities<HostActivities>({
    taskQueue,
    scheduleToStartTimeout: `${START_SECONDS} seconds`,
    startToCloseTimeout: '7 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/** All machines work on it at once, so none may begin alone: an attempt is the workflow's to repeat, not the activity's. */
const share = (taskQueue: string, summary: string) => present(taskQueue, summary, 1);

/** @param hostQueues own queues of the run's machines */
export async function trainModel(
  hostQueues: readonly string[],
  { trainer: engine }: RunConfig['engines'],
  label: string,
  input: TrainModelInput,
): Promise<Trained> {
  if (engine.kind === 'levanter') return byLevanter(hostQueues, engine, label, input);
  if (engine.kind === 'pytorch' && engine.nodes === 'all' && hostQueues.length > 1)
    return byPytorch(hostQueues, label, input);
  return byOne(hostQueues, label, (machine) => machine.trainModel(input));
}

async function byLevanter(
  hostQueues: readonly string[],
  engine: LevanterEngine,
  label: string,
  input: TrainModelInput,
): Promise<Trained> {
  const training = { ...input, engine };
  const { trained, ...prepared } = await byOne(hostQueues, 'rows and first weights', (machine) =>
    machine.prepareLevanter(training),
  );
  if (trained !== null) return trained;
  // One machine waits for nobody: its part is taken up again like all other work of a machine.
  const shares =
    hostQueues.length === 1
      ? [await host(hostQueues[0]!, label).trainByLevanter(training, prepared)]
      : await allTogether(
          hostQueues,
          label,
          async () => (queue) => share(queue, label).trainByLevanter(training, prepared),
        );
  const telling = shares.find(({ finalLoss }) => finalLoss !== null) ?? shares[0]!;
  return byOne(hostQueues, 'the export as a checkpoint', (machine) =>
    machine.finishLevanter(training, prepared, telling),
  );
}

/** The processes of all machines are one group. Its first machine is the first of the queues. */
async function byPytorch(hostQueues: readonly string[], label: string, input: TrainModelInput): Promise<Trained> {
  const first = hostQueues[0]!;
  const parts = await allTogether(hostQueues, label, async () => {
    const { meeting, trained } = await present(first, 'where the machines meet', TRIES_MAX).meetToTrain(
      input,
      hostQueues.length,
    );
    // Done already: there is nothing to do on any machine.
    if (trained !== null) return async () => trained;
    return (queue, node) => share(queue, label).trainPart(input, meeting, node);
  });
  await host(first, 'remove the states that it went on from').dropTrainingStates(input);
  return parts[0]!;
}

/**
 * Has every machine do its share at the same time, until all have. `begin` is called before each attempt and gives what a
 * machine is to do. Shares are in the order of the queues. Throws as it came what tells that a machine is lost, and what no
 * repetition can mend; STP1607 where it was repeated often enough.
 */
async function allTogether<Share>(
  queues: readonly string[],
  label: string,
  begin: () => Promise<(queue: string, node: number) => Promise<Share>>,
): Promise<readonly Share[]> {
  let why = '';
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const work = await begin();
    const errors = new Map<string, unknown>();
    const outcomes = await onEveryNode(
      queues,
      (queue, node) =>
        work(queue, node).catch((error: unknown) => {
          errors.set(queue, error);
          throw error;
        }),
      { together: true },
    );
    const lost = outcomes.find(({ kind }) => kind === 'lost');
    // The error as it came: the workflow that holds the machines sees by it that one is lost, gets another, and does the work again.
    if (lost !== undefined) throw errors.get(lost.queue);
    const failed = outcomes.filter((outcome) => outcome.kind === 'failed');
    if (failed.length === 0) return outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.result] : []));
    const final = failed.find(({ queue }) => isFinal(errors.get(queue)));
    if (final !== undefined) throw errors.get(final.queue);
    why = `${failed[0]!.queue}: ${failed[0]!.why}`;
    log.warn('a training over all machines failed', { attempt, why });
  }
  throw ApplicationFailure.nonRetryable(`${label} failed ${TRIES_MAX} times, last on ${why}`, 'STP1607');
}

/** Bad examples, say: they are as bad at the next attempt. */
function isFinal(error: unknown): boolean {
  return causes(error).find((cause) => cause instanceof ApplicationFailure)?.nonRetryable === true;
}
