/**
 * `npm run experiment -- fleet`: the simulated fleet undisturbed, with losses, and with losses where nothing is kept; a table.
 * With `--cancel`: how soon its nodes hear that the round is cancelled.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { temporalExecutable } from '../../cli/temporal.ts';
import { startDevServer } from '../../infra/temporal/dev-server.ts';
import { workerSettings } from '../../workers/settings.ts';
import { cancelFleet, type FleetOptions, type FleetRun, runFleet } from './fleet.ts';
import { type StaticSplit, staticSplit } from './static-split.ts';
import { proofMs } from './times.ts';

export interface FleetCommandOptions {
  readonly nodes: number;
  readonly processes: number;
  readonly shards: number;
  readonly proofs: number;
  /** Processes of ten nodes that are killed in the runs with losses. */
  readonly losses: number;
  readonly seed: number;
}

const NODES_PER_PROCESS = 10;
/** Forty times the recorded times: a median of 0.8 s, as of short proofs over Mathlib (stp.md §8: 0.56 a second and worker). */
const SCALE = 40;
/** stp.md §8. */
const RUNAWAY_SHARE = 0.045;
/** What provers over Mathlib are commonly given: as far from the median as our 6 s are from the recorded one. */
const RUNAWAY_MS = 60_000;

/** What all runs of one command share. */
async function fleetOf(options: FleetCommandOptions, say: (line: string) => void) {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const times = { seed: options.seed, scale: SCALE, runawayShare: RUNAWAY_SHARE, runawayMs: RUNAWAY_MS };
  const all: number[] = [];
  for (let shard = 0; shard < options.shards; shard++)
    for (let proof = 0; proof < options.proofs; proof++) all.push(proofMs(times, `${shard}`, `${proof}`));
  const workSeconds = all.reduce((sum, ms) => sum + ms, 0) / 1_000;
  const idealSeconds = workSeconds / (options.nodes * options.processes);
  say(`${all.length} proofs, ${workSeconds.toFixed(0)} s of processes, ${idealSeconds.toFixed(1)} s at best`);
  const described = `${options.nodes} nodes of ${options.processes} processes, ${options.shards} shards of ${options.proofs} proofs; recorded times × ${SCALE}, ${(100 * RUNAWAY_SHARE).toFixed(1)} % runaways of ${RUNAWAY_MS / 1_000} s; ${idealSeconds.toFixed(1)} s at best; seed ${options.seed}.`;
  const { executable } = await temporalExecutable(workerSettings(), say);
  const once = async <T>(losses: number, keepsParts: boolean, run: (fleet: FleetOptions) => Promise<T>): Promise<T> => {
    const directory = await mkdtemp(join(tmpdir(), 'stp-fleet-'));
    // A server of its own for each: nothing of one run is in the next one's queues.
    const server = await startDevServer({ executable });
    try {
      return await run({
        ...{ address: server.address, directory, nodes: options.nodes, nodesPerProcess: NODES_PER_PROCESS },
        ...{ processesPerNode: options.processes, shards: options.shards, proofsPerShard: options.proofs },
        ...{ times, keepsParts, losses, lossesWithinMs: (idealSeconds * 1_000) / 2 },
      });
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  };
  return { all, described, once };
}

/** Returns the lines of the log's entry: how soon the nodes hear of a cancellation, so long after the first verdict. */
export async function simulateCancellation(
  options: FleetCommandOptions,
  afterSeconds: number,
  say: (line: string) => void,
): Promise<string> {
  const { described, once } = await fleetOf(options, say);
  const told = await once(0, true, (fleet) => cancelFleet(fleet, afterSeconds * 1_000));
  const { p50, p99, max } = told.seconds;
  const heard = [p50, p99, max, told.roundSeconds].map((seconds) => seconds.toFixed(1)).join(' | ');
  return [
    `${described} Cancelled ${afterSeconds} s after the first verdict.`,
    '',
    '| nodes at work | shards in flight | heard p50 s | p99 s | last s | round ended s |',
    '|---|---|---|---|---|---|',
    `| ${told.nodes} | ${told.shards} | ${heard} |`,
  ].join('\n');
}

/** Returns the lines of the log's entry: what was simulated, and what came of it. */
export async function simulateFleet(options: FleetCommandOptions, say: (line: string) => void): Promise<string> {
  const { all, described, once } = await fleetOf(options, say);
  const rows = [row('static split, 40-proof batches (computed)', staticSplit(all, options.nodes, options.processes))];
  for (const [name, losses, keepsParts] of [
    ['undisturbed', 0, true],
    [`${options.losses * NODES_PER_PROCESS} nodes lost`, options.losses, true],
    [`${options.losses * NODES_PER_PROCESS} nodes lost, nothing kept`, options.losses, false],
  ] as const) {
    const run = await once(losses, keepsParts, runFleet);
    rows.push(row(name, run, run));
    say(rows.at(-1)!);
  }
  return [
    described,
    '',
    '| | wall s | useful share | busy min / median / max | proof p50 / p99 s | shard p50 / p99 s | shards tried again | repeated work |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function row(name: string, split: StaticSplit, run?: FleetRun): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const { min, median, max } = split.busy;
  const pair = ({ p50, p99 }: { p50: number; p99: number }): string => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
  const measured =
    run === undefined
      ? ['', '', '', '']
      : [
          pair(run.proofLatencySeconds),
          pair(run.shardLatencySeconds),
          String(run.shardsTriedAgain),
          `${run.repeatedSeconds.toFixed(0)} s, ${percent(run.repeatedShare)}`,
        ];
  const busy = `${percent(min)} / ${percent(median)} / ${percent(max)}`;
  return `| ${[name, split.wallSeconds.toFixed(1), percent(split.usefulShare), busy, ...measured].join(' | ')} |`;
}
