/**
 * A training on a run's machines. Levanter trains on all of them together, even if there is only one. PyTorch trains on
 * all if configured; otherwise on one, or on another if that one has no disk space left. If one of several machines
 * fails or is lost, the others are ended, and all resume from the last state.
 */

import { HEARTBEAT_TIMEOUT_MS, type LevanterEngine, type RunConfig } from '@stp/config/workflow';
import { ApplicationFailure, log, proxyActivities } from '@temporalio/workflow';
import type { HostActivities } from '../../activities/index.ts';
import type { Trained, TrainModelInput } from '../../activities/training/training.ts';
import { host } from '../control/activity-proxies.ts';
import { causes } from '../control/causes.ts';
import { onEveryNode } from '../nodes/every-node.ts';
import { byOne } from '../nodes/machine-pool.ts';

/**
 * Most attempts of one training. When a machine is lost the others often fail first, and the loss shows only in the
 * next attempt.
 */
const TRIES_MAX = 4;
const START_SECONDS = 120;

/** For work on a machine that must be present: if no worker takes it, the machine is lost. */
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

/**
 * For a share of work that all machines do at once. No share may start alone, so the workflow repeats an attempt, not
 * the activity.
 */
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
  // A single machine waits for no other, so its work is resumed like all other work of a machine.
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

/** Trains with the processes of all machines as one group. The rendezvous is at the first queue's machine. */
async function byPytorch(hostQueues: readonly string[], label: string, input: TrainModelInput): Promise<Trained> {
  const first = hostQueues[0]!;
  const parts = await allTogether(hostQueues, label, async () => {
    const { meeting, trained } = await present(first, 'where the machines meet', TRIES_MAX).meetToTrain(
      input,
      hostQueues.length,
    );
    // Already trained: the machines have nothing to do.
    if (trained !== null) return async () => trained;
    return (queue, node) => share(queue, label).trainPart(input, meeting, node);
  });
  await host(first, 'remove the states that it went on from').dropTrainingStates(input);
  return parts[0]!;
}

/**
 * Runs every machine's share at the same time, until all succeed. `begin` is called before each attempt and returns a
 * machine's share. Results are in the order of the queues. Rethrows unchanged an error that means a lost machine or
 * that no repetition can repair; throws STP1607 after the last attempt.
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
    // Rethrown unchanged: the workflow that holds the machines recognises the loss, replaces the machine, and repeats
    // the work.
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

/** Would the error recur at the next attempt, as for bad examples? */
function isFinal(error: unknown): boolean {
  return causes(error).find((cause) => cause instanceof ApplicationFailure)?.nonRetryable === true;
}
