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
import { type FleetMeasures, measureFleet, type NodeProcessInput } from './measures.ts';
import { playSimulatedRound } from './simulated-round.ts';
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

export async function runFleet(options: FleetOptions): Promise<FleetRun> {
  const logDirectory = join(options.directory, 'logs');
  await mkdir(logDirectory, { recursive: true });
  const storeUri = pathToFileURL(join(options.directory, 'store')).href;
  const store = await openStore(storeUri);
  const names = Array.from({ length: options.nodes }, (_, index) => `node-${index}`);
  const lost = new Set<string>();
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
  const groups: { nodes: string[]; child: ChildProcess }[] = [];
  for (let first = 0; first < names.length; first += options.nodesPerProcess) {
    const nodes = names.slice(first, first + options.nodesPerProcess);
    groups.push({ nodes, child: start(nodes) });
  }
  const lose = async (): Promise<void> => {
    const random = randomStream(options.times.seed, 'losses');
    const victims = random.shuffle(groups).slice(0, options.losses);
    const momentsMs = victims.map(() => random.next() * options.lossesWithinMs).sort((a, b) => a - b);
    // A log begins with the first verdict.
    await until(async () => (await readdir(logDirectory)).length > 0, over.signal);
    const startedAt = performance.now();
    for (const [index, victim] of victims.entries()) {
      await sleep(Math.max(0, startedAt + momentsMs[index]! - performance.now()), undefined, { signal: over.signal });
      for (const node of victim.nodes) lost.add(node);
      victim.child.kill('SIGKILL');
      void sleep(REPLACED_AFTER_MS, undefined, { signal: over.signal }).then(
        () => start(victim.nodes.map((node) => `${node}-replaced`)),
        () => undefined,
      );
    }
  };
  try {
    const losing = lose().catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
    const outcome = await playSimulatedRound({ ...options, store, run: 'fleet' }, over.signal);
    over.abort();
    await losing;
    // They write the last of their logs.
    await Promise.all([...children].map(endChild));
    const measures = await measureFleet(logDirectory, options.processesPerNode, names, lost);
    return { ...measures, results: outcome.shards, proveSeconds: outcome.proveSeconds };
  } finally {
    over.abort();
    await Promise.all([...children].map(endChild));
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
