/**
 * A training on a run's machines: on one of them, or where the engine works over all (Levanter on a slice) on all together.
 * Where one of those fails or is lost the others are ended, and all begin anew from the last checkpoint.
 */
import { ApplicationFailure, log, proxyActivities } from '@temporalio/workflow';
import type { HostActivities } from '../activities/index.ts';
import type { Trained, TrainModelInput } from '../activities/training.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import { host } from './activity-proxies.ts';
import { onEveryNode } from './every-node.ts';

/** Of one training. When a machine is lost the others often fail first: at the next try it is missed. */
const TRIES_MAX = 4;
const START_SECONDS = 120;

/** All machines work on it at once, so none may begin alone: an attempt is the workflow's to repeat, not the activity's. */
const share = (taskQueue: string, summary: string) =>
  proxyActivities<HostActivities>({
    taskQueue,
    scheduleToStartTimeout: `${START_SECONDS} seconds`,
    startToCloseTimeout: '7 days',
    heartbeatTimeout: '20 seconds',
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/** @param place own queues of the run's machines; `hostQueue` is that of the one that works alone */
export async function trainModel(
  { hostQueue, hostQueues: queues }: { readonly hostQueue: string; readonly hostQueues: readonly string[] },
  { trainer: engine }: RunConfig['engines'],
  label: string,
  input: TrainModelInput,
): Promise<Trained> {
  if (engine.kind !== 'levanter' || queues.length < 2) return host(hostQueue, label).trainModel(input);
  const together = { ...input, engine };
  const { trained, ...prepared } = await host(hostQueue, 'rows and first weights for all machines').prepareTogether(
    together,
  );
  if (trained !== null) return trained;
  let why = '';
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const errors = new Map<string, unknown>();
    const outcomes = await onEveryNode(
      queues,
      (queue) =>
        share(queue, label)
          .trainShare(together, prepared)
          .catch((error: unknown) => {
            errors.set(queue, error);
            throw error;
          }),
      { together: true },
    );
    const lost = outcomes.find(({ kind }) => kind === 'lost');
    // As it came: whoever holds the machines knows a lost one by it, gets another, and does the work again.
    if (lost !== undefined) throw errors.get(lost.queue);
    const failed = outcomes.find((outcome) => outcome.kind === 'failed');
    if (failed === undefined) {
      const shares = outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.result] : []));
      const telling = shares.find(({ finalLoss }) => finalLoss !== null) ?? shares[0]!;
      return host(hostQueue, 'the export as a checkpoint').finishTogether(together, prepared, telling);
    }
    why = `${failed.queue}: ${failed.why}`;
    log.warn('a training over all machines failed', { attempt, why });
  }
  throw ApplicationFailure.nonRetryable(`${label} failed ${TRIES_MAX} times, last on ${why}`, 'STP1607');
}
