/**
 * A fleet that is simulated where Lean is and real everywhere else: a Temporal server, the round's workflow, the activity
 * that verifies a shard, the store; a worker for every node, ten nodes in a process. A loss is SIGKILL to such a process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ShardResult } from '../../data/schemas/round.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { randomStream } from '../../selfplay/random.ts';
import { type FleetMeasures, measureFleet, measureTold, type NodeProcessInput, type ToldMeasures } from './measures.ts';
import { cancelSimulatedRound, playSimulatedRound, type SimulatedRound } from './simulated-round.ts';
import type { ProofTimes } from './times.ts';

export interface FleetOptions {
  readonly address: string;
  /** An empty folder. */
  readonly directory: string;
  readonly nodes: number;
  readonly nodesPerProcess: number;
  readonly processesPerNode: number;
  readonly shards: number;
  readonly proofsPerShard: number;
  readonly times: ProofTimes;
  readonly keepsParts: boolean;
  /** Processes of nodes that are killed, at random times in this span after the first verdict. */
  readonly losses: number;
  readonly lossesWithinMs: number;
}

/** A node that was lost is replaced after this, as a preempted machine by another. */
const REPLACED_AFTER_MS = 10_000;
const END_TIMEOUT_MS = 15_000;

export interface FleetRun extends FleetMeasures {
  readonly results: readonly ShardResult[];
  readonly proveSeconds: number;
}

export interface FleetCancellation extends ToldMeasures {
  /** From the asking to the end of the round. */
  readonly roundSeconds: number;
}

/** What a running fleet is made of, for what is done with it. */
interface Running {
  readonly round: SimulatedRound;
  readonly logDirectory: string;
  readonly over: AbortController;
  readonly groups: readonly NodeGroup[];
  readonly start: (nodes: readonly string[]) => ChildProcess;
  /** Ends all nodes; they write the last of their logs. */
  readonly end: () => Promise<void>;
}

interface NodeGroup {
  readonly nodes: readonly string[];
  readonly child: ChildProcess;
}

export async function runFleet(options: FleetOptions): Promise<FleetRun> {
  return withFleet(options, async ({ round, logDirectory, over, groups, start, end }) => {
    const lost = new Set<string>();
    const lose = async (): Promise<void> => {
      const random = randomStream(options.times.seed, 'losses');
      const victims = random.shuffle([...groups]).slice(0, options.losses);
      const momentsMs = victims.map(() => random.next() * options.lossesWithinMs).sort((a, b) => a - b);
      await untilBegun(logDirectory, over.signal);
      const startedAt = performance.now();
      for (const [index, victim] of victims.entries()) {
        const inMs = Math.max(0, startedAt + momentsMs[index]! - performance.now());
        await sleep(inMs, undefined, { signal: over.signal });
        for (const node of victim.nodes) lost.add(node);
        victim.child.kill('SIGKILL');
        void sleep(REPLACED_AFTER_MS, undefined, { signal: over.signal }).then(
          () => start(victim.nodes.map((node) => `${node}-replaced`)),
          () => undefined,
        );
      }
    };
    const losing = lose().catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
    const outcome = await playSimulatedRound(round, over.signal);
    over.abort();
    await losing;
    await end();
    const measures = await measureFleet(logDirectory, options.processesPerNode, namesOf(options), lost);
    return { ...measures, results: outcome.shards, proveSeconds: outcome.proveSeconds };
  });
}

/** Cancels the round so long after the first verdict; how soon the nodes heard that. */
export async function cancelFleet(options: FleetOptions, afterMs: number): Promise<FleetCancellation> {
  return withFleet(options, async ({ round, logDirectory, over, end }) => {
    const when = untilBegun(logDirectory, over.signal).then(() => sleep(afterMs, undefined, { signal: over.signal }));
    const { askedAtMs, roundSeconds } = await cancelSimulatedRound(round, when, over.signal);
    await end();
    return { ...(await measureTold(logDirectory, askedAtMs)), roundSeconds };
  });
}

const namesOf = ({ nodes }: FleetOptions): string[] => Array.from({ length: nodes }, (_, index) => `node-${index}`);

/** A log begins with the first verdict. */
const untilBegun = (logDirectory: string, signal: AbortSignal): Promise<void> =>
  until(async () => (await readdir(logDirectory)).length > 0, signal);

async function withFleet<T>(options: FleetOptions, work: (running: Running) => Promise<T>): Promise<T> {
  const logDirectory = join(options.directory, 'logs');
  await mkdir(logDirectory, { recursive: true });
  const storeUri = pathToFileURL(join(options.directory, 'store')).href;
  const store = await openStore(storeUri);
  const names = namesOf(options);
  const children = new Set<ChildProcess>();
  let logs = 0;
  const over = new AbortController();
  const start = (nodes: readonly string[]): ChildProcess => {
    const { address, processesPerNode, times, keepsParts } = options;
    const logPath = join(logDirectory, `${String(logs++).padStart(4, '0')}.jsonl`);
    const input: NodeProcessInput = { address, storeUri, logPath, nodes, processesPerNode, times, keepsParts };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'node-process.ts'), JSON.stringify(input)], {
      // The channel carries nothing: its end tells the nodes that this process is gone.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', (code, signal) => {
      children.delete(child);
      if (!over.signal.aborted && signal !== 'SIGKILL')
        over.abort(new Error(`a process of nodes ended by itself (${signal ?? `exit ${code}`})`));
    });
    return child;
  };
  const groups: NodeGroup[] = [];
  for (let first = 0; first < names.length; first += options.nodesPerProcess) {
    const nodes = names.slice(first, first + options.nodesPerProcess);
    groups.push({ nodes, child: start(nodes) });
  }
  const end = async (): Promise<void> => {
    over.abort();
    await Promise.all([...children].map(endChild));
  };
  try {
    return await work({ round: { ...options, store, run: 'fleet' }, logDirectory, over, groups, start, end });
  } finally {
    await end();
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

async function until(isTrue: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await isTrue())) await sleep(100, undefined, { signal });
}
