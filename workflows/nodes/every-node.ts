/**
 * Runs the same work on many machines at once, each through its own queue, with a result for each: done, failed, lost,
 * cancelled. Work that hangs when one of its machines is missing (a training over a slice) runs on all machines or on
 * none: the first that fails or is lost ends the others.
 */

import { HEARTBEAT_TIMEOUT_MS } from '@stp/config/workflow';
import {
  CancellationScope,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { CommandResult, NodeCommand } from '../../activities/every-node/run-on-node.ts';
import type { NodeActivities } from '../../activities/index.ts';
import { causes, rootMessage } from '../control/causes.ts';

/** A live worker takes its task at once, but it may be restarting after a crash. */
const START_SECONDS_DEFAULT = 60;
/** Limit on the characters of output in all results together: Temporal limits a workflow's result to 2 MB. */
const OUTPUT_CHARS_TOTAL = 512 * 1024;
const OUTPUT_CHARS_MAX = 16_384;

export type HostOutcome<Result> =
  | { readonly kind: 'done'; readonly queue: string; readonly result: Result }
  /** The machine answered, but the work on it failed. */
  | { readonly kind: 'failed'; readonly queue: string; readonly why: string; readonly result: Result | null }
  /** The work is lost: no worker took it in time, or its worker stopped its heartbeats. */
  | { readonly kind: 'lost'; readonly queue: string; readonly why: string }
  /** The work was ended, or never started, because another machine failed. */
  | { readonly kind: 'cancelled'; readonly queue: string };

export interface EveryNodeOptions<Result> {
  /** Whether the first machine that fails or is lost ends the work of all others. */
  readonly together: boolean;
  /** Returns why a result is a failure, or null. */
  readonly problemOf?: (result: Result) => string | null;
}

/**
 * Runs the work on every queue, numbered from 0, at the same time and waits for all. Outcomes are in the order of the
 * queues. Throws only for the caller's own cancellation.
 */
export async function onEveryNode<Result>(
  queues: readonly string[],
  work: (queue: string, node: number) => Promise<Result>,
  { together, problemOf = () => null }: EveryNodeOptions<Result>,
): Promise<readonly HostOutcome<Result>[]> {
  const scope = new CancellationScope();
  let endedByUs = false;
  const one = async (queue: string, node: number): Promise<HostOutcome<Result>> => {
    const outcome = await outcomeOf(queue, () => work(queue, node), problemOf);
    if (together && (outcome.kind === 'failed' || outcome.kind === 'lost') && !endedByUs) {
      endedByUs = true;
      scope.cancel();
    }
    return outcome;
  };
  const outcomes = await scope.run(() => Promise.all(queues.map(one)));
  // After a cancellation from outside the caller gets the cancellation, not a list of stopped nodes.
  if (!endedByUs && outcomes.some(({ kind }) => kind === 'cancelled')) await scope.cancelRequested;
  return outcomes;
}

async function outcomeOf<Result>(
  queue: string,
  work: () => Promise<Result>,
  problemOf: (result: Result) => string | null,
): Promise<HostOutcome<Result>> {
  try {
    const result = await work();
    const why = problemOf(result);
    return why === null ? { kind: 'done', queue, result } : { kind: 'failed', queue, why, result };
  } catch (error) {
    if (isCancellation(error)) return { kind: 'cancelled', queue };
    const loss = lossOf(error);
    if (loss !== null) return { kind: 'lost', queue, why: loss };
    return { kind: 'failed', queue, why: rootMessage(error), result: null };
  }
}

/** Logs a warning for each machine that did not finish. */
export function warnOf(outcomes: readonly HostOutcome<unknown>[], message: string): void {
  for (const outcome of outcomes)
    if (outcome.kind === 'failed' || outcome.kind === 'lost')
      log.warn(message, { queue: outcome.queue, why: outcome.why });
}

/** Describes a lost machine in words; null for any other failure. */
export function lossOf(error: unknown): string | null {
  for (const cause of causes(error))
    if (cause instanceof TimeoutFailure) {
      if (cause.timeoutType === 'SCHEDULE_TO_START')
        return 'no worker took the work: the machine is gone or not set up';
      if (cause.timeoutType === 'HEARTBEAT') return 'the worker fell silent while it worked';
    }
  return null;
}

/** Activities of a node that run at most once: a command is not repeated when its worker is lost. */
export const onceOnNode = (taskQueue: string, summary: string, limits: { startSeconds?: number; runSeconds: number }) =>
  proxyActivities<NodeActivities>({
    taskQueue,
    scheduleToStartTimeout: `${limits.startSeconds ?? START_SECONDS_DEFAULT} seconds`,
    startToCloseTimeout: `${Math.ceil(limits.runSeconds)} seconds`,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

export interface EveryNodeInput {
  readonly run: string;
  /** Host queues of the machines. */
  readonly queues: readonly string[];
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Time in which a machine must start, s. */
  readonly startSeconds?: number;
  /** Whether all machines run the command or none does; see above. */
  readonly together: boolean;
}

/** Time between a command's own limit and the activity's, s, for ending the command. */
const ENDING_SECONDS = 60;

/**
 * `stp-every-node`: runs a command on every machine. A failed command does not fail the workflow; its outcome records
 * the failure.
 */
export async function stpEveryNode(input: EveryNodeInput): Promise<readonly HostOutcome<CommandResult>[]> {
  const { run, queues, command, environment = {}, timeoutSeconds, startSeconds, together } = input;
  const outputCharsMax = Math.min(OUTPUT_CHARS_MAX, Math.floor(OUTPUT_CHARS_TOTAL / Math.max(1, queues.length)));
  const asked: NodeCommand = { run, command: [...command], environment, timeoutSeconds, outputCharsMax };
  const limits = { runSeconds: timeoutSeconds + ENDING_SECONDS, ...(startSeconds !== undefined && { startSeconds }) };
  let done = 0;
  const outcomes = await onEveryNode(
    queues,
    async (queue) => {
      const result = await onceOnNode(queue, command.join(' ').slice(0, 100), limits).runOnNode(asked);
      done += 1;
      setCurrentDetails(`${done} of ${queues.length} machines have ended`);
      return result;
    },
    { together, problemOf: commandProblem },
  );
  const counts = Map.groupBy(outcomes, ({ kind }) => kind);
  setCurrentDetails([...counts].map(([kind, all]) => `${all.length} ${kind}`).join(', '));
  return outcomes;
}

/** Returns why a command failed, or null. */
export function commandProblem({ exitCode, signal, timedOut, output }: CommandResult): string | null {
  if (exitCode === 0 && !timedOut) return null;
  const how = timedOut ? 'took too long' : signal !== null ? `was ended by ${signal}` : `ended with code ${exitCode}`;
  const last = output.trim().split('\n').at(-1) ?? '';
  return last === '' ? how : `${how}: ${last.slice(0, 300)}`;
}
