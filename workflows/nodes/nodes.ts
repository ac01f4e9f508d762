/**
 * The nodes of a run or an evaluation: acquired at its start, cleaned and given back at its end, also after a failure.
 * The local machine needs no request. `provisioning.ts` requests, watches and replaces cloud machines, through
 * Temporal's activities, timers and scopes.
 */

import { HEARTBEAT_TIMEOUT_MS, isRunName, type NodesConfig } from '@stp/config/workflow';
import {
  ApplicationFailure,
  CancellationScope,
  ContinueAsNew,
  isCancellation,
  log,
  proxyActivities,
  sleep,
  TimeoutFailure,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { ControlActivities, NodeActivities } from '../../activities/index.ts';
import { control, host, nodeIfThere } from '../control/activity-proxies.ts';
import { causes } from '../control/causes.ts';
import { HOST_QUEUES_MEMO, NODES_MEMO, withoutPrefix } from '../control/contracts.ts';
import type { TimeHeld } from './machine-time.ts';
import { type NodesInUse, withNodes } from './provisioning.ts';
import type { HeldNodes, ProvisioningSteps } from './provisioning-steps.ts';

type CloudConfig = Exclude<NodesConfig, { provider: 'local' }>;

/** The machines of a run, of any kind. */
export interface Machines {
  /**
   * Runs the work on the present machines, given by their host queues, and runs it again on others if these are lost
   * meanwhile.
   */
  use<T>(work: (hostQueues: readonly string[]) => Promise<T>): Promise<T>;
  /** State carried over a continue-as-new; null for the local machine. */
  readonly held: HeldNodes | null;
  /** Machine time since the start of the run. */
  readonly time: TimeHeld;
}

export interface OnNodes {
  readonly run: string;
  readonly nodes: NodesConfig;
  /** Machines that the run holds from before a continue-as-new. */
  readonly carried: {
    readonly hostQueues: readonly string[];
    readonly held: HeldNodes | null;
    readonly time: TimeHeld;
  } | null;
  /** Reports one line about the machines' state. */
  readonly say: (line: string) => void;
}

/** Runs the body with the configured machines. They are given back at its end, except for a continue-as-new. */
export async function onNodes<T>(context: OnNodes, body: (machines: Machines) => Promise<T>): Promise<T> {
  const { run, nodes, carried, say } = context;
  if (nodes.provider === 'local') return onThisMachine(run, carried, body);
  // The janitor reads this memo to find cloud machines of a terminated run.
  upsertMemo({ [NODES_MEMO]: nodes });
  const validFor = 'validUntilMinutes' in nodes ? nodes.validUntilMinutes : INVENTORY_MINUTES;
  const hoursMax = 'hoursMax' in nodes ? nodes.hoursMax : INVENTORY_HOURS;
  const limits = { validUntilMs: validFor * 60_000, heldMsMax: hoursMax * 3_600_000 };
  const isContinuing = (thrown: unknown): boolean => thrown instanceof ContinueAsNew;
  return withNodes(temporalSteps(run, nodes, say), limits, carried?.held ?? null, isContinuing, (machines) =>
    body(onTheCloud(machines, carried?.time ?? NO_TIME)),
  );
}

const NO_TIME: TimeHeld = { setMs: 0, machineMs: 0 };

/** Machines of an inventory have no known cost. A machine that restarts or is disconnected is waited for. */
const INVENTORY_MINUTES = 10;
const INVENTORY_HOURS = 24 * 365;

async function onThisMachine<T>(
  run: string,
  carried: OnNodes['carried'],
  body: (machines: Machines) => Promise<T>,
): Promise<T> {
  let hostQueue = carried?.hostQueues[0] ?? null;
  const { setMs } = carried?.time ?? NO_TIME;
  const sinceMs = Date.now();
  let isContinuing = false;
  try {
    if (hostQueue === null) {
      hostQueue = await getNode(run);
      await cleanBefore(run, hostQueue);
    }
    const hostQueues = [hostQueue];
    return await body({
      use: (work) => work(hostQueues),
      held: null,
      get time() {
        const ms = setMs + Date.now() - sinceMs;
        return { setMs: ms, machineMs: ms };
      },
    });
  } catch (thrown) {
    isContinuing = thrown instanceof ContinueAsNew;
    throw thrown;
  } finally {
    if (!isContinuing) await CancellationScope.nonCancellable(() => giveNodesBack(run, hostQueue));
  }
}

function onTheCloud(machines: NodesInUse, before: TimeHeld): Machines {
  return {
    use: (work) =>
      machines.use((held) => {
        const hostQueues = held.hosts.map(({ taskQueue }) => taskQueue);
        upsertMemo({ [HOST_QUEUES_MEMO]: hostQueues });
        return work(hostQueues);
      }),
    get held() {
      return machines.held;
    },
    get time() {
      const { setMs, machineMs } = machines.clock.time;
      return { setMs: before.setMs + setMs, machineMs: before.machineMs + machineMs };
    },
  };
}

/**
 * For requests. Requesting many instances one by one takes time. Attempts are unlimited: an attempt that finds nothing
 * yet sets the delay of the next (`activities/nodes/poll-delay.ts`), and the activity itself knows when the wait is
 * over. A cancellation waits for the current attempt.
 */
const asking = (summary: string) =>
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/** For watching. It only reads, so a cancellation need not wait for its end. Heartbeats reveal a lost worker. */
const watching = (summary: string) =>
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '365 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    cancellationType: 'TRY_CANCEL',
    summary,
  });

function temporalSteps(run: string, nodes: CloudConfig, say: (line: string) => void): ProvisioningSteps {
  const setUpMinutes = 'setUpMinutes' in nodes ? nodes.setUpMinutes : INVENTORY_MINUTES;
  return {
    request: (generation, attempt, untilMs) =>
      asking(`ask for machines, set ${generation}`).requestNodes({ run, nodes, generation, attempt, untilMs }),
    state: (generation, untilMs) => asking('wait for the machines').nodesState({ run, nodes, generation, untilMs }),
    watch: (generation, untilMs) =>
      watching('watch the machines and the time').watchNodes({ run, nodes, generation, untilMs }),
    release: (lastGeneration, untilMs) =>
      asking('give the machines back').releaseCloudNodes({ run, nodes, lastGeneration, untilMs }),
    async begin(hostQueue) {
      const first = proxyActivities<NodeActivities>({
        taskQueue: hostQueue,
        scheduleToStartTimeout: setUpMinutes * 60_000,
        startToCloseTimeout: '5 minutes',
        heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
        // The cost guard is not active yet, so a machine that cannot be cleaned is given back.
        retry: { maximumAttempts: 5 },
        summary: 'wait for the worker of a machine, end what was left behind',
      });
      await first.cleanUpNode(run, 'before');
    },
    async end(hostQueue) {
      try {
        await nodeIfThere(hostQueue, 'end every process of the run').cleanUpNode(run, 'after');
      } catch (error) {
        log.warn('the machine could not be cleaned', { hostQueue, error });
      }
    },
    async answers(hostQueue) {
      try {
        await nodeIfThere(hostQueue, 'does the machine answer; end its Lean processes').cleanUpNode(
          run,
          'silence',
          'lean',
        );
        return true;
      } catch (error) {
        if (isCancellation(error)) throw error;
        return false;
      }
    },
    sleep: (ms) => sleep(ms),
    now: () => Date.now(),
    scope: () => new CancellationScope(),
    shielded: (work) => CancellationScope.nonCancellable(work),
    isCancellation,
    isDeadHost,
    failure: (code, message) => ApplicationFailure.nonRetryable(message, code),
    say(line) {
      log.info(line, { run });
      say(line);
    },
  };
}

/**
 * Returns whether a host is dead: no worker took the work in time, or its worker stopped its heartbeats, on one machine
 * or on one of many (STP1605).
 */
function isDeadHost(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      (cause instanceof TimeoutFailure && /SCHEDULE_TO_START|HEARTBEAT/.test(String(cause.timeoutType))) ||
      (cause instanceof ApplicationFailure && cause.type === 'STP1605'),
  );
}

/** Returns the task queue of the node that does the work. */
export async function getNode(run: string): Promise<string> {
  const [node] = await control('get nodes').provisionNodes(run);
  if (!node) throw ApplicationFailure.nonRetryable('no node was provisioned', 'STP1601');
  // The janitor reads this memo to find the nodes that it must sweep.
  upsertMemo({ [HOST_QUEUES_MEMO]: [node.taskQueue] });
  return node.taskQueue;
}

/** Ends the processes that an earlier run of this name left. */
export async function cleanBefore(run: string, hostQueue: string): Promise<void> {
  await host(hostQueue, 'end what an earlier run of this name left behind').cleanUpNode(run, 'before');
}

/** Gives the machines back. Call it where nothing can cancel it. `hostQueue` is null if none was acquired. */
export async function giveNodesBack(run: string, hostQueue: string | null): Promise<void> {
  if (hostQueue !== null)
    await host(hostQueue, 'end every Lean process of the run')
      .cleanUpNode(run, 'after')
      // The run's result or failure matters more than leftover processes.
      .catch((error: unknown) => log.warn('the node could not be cleaned', { error }));
  await control('give the nodes back').releaseNodes(run);
}

/**
 * Returns the text after `prefix` in the workflow id. It names a folder, so it must be a run's name. The error message
 * says that the id names no `none`.
 */
export function folderName(prefix: string, none: string, advice: string): string {
  const { workflowId } = workflowInfo();
  const name = withoutPrefix(workflowId, prefix);
  if (isRunName(name)) return name;
  throw ApplicationFailure.nonRetryable(
    `the workflow id "${workflowId.slice(0, 100)}" names no ${none}. ${advice}`,
    'STP1002',
  );
}
