/** What a simulated fleet did, out of the logs of its nodes. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ProofTimes } from './times.ts';

export interface NodeProcessInput {
  readonly address: string;
  readonly storeUri: string;
  readonly logPath: string;
  /** Names of the nodes in this process. */
  readonly nodes: readonly string[];
  readonly processesPerNode: number;
  readonly times: ProofTimes;
  /** False: a second attempt finds none of the verdicts of the first. */
  readonly keepsParts: boolean;
}

export type LogLine =
  | {
      readonly kind: 'proof';
      readonly node: string;
      readonly shard: string;
      readonly sample: string;
      /** Time of a process. */
      readonly ms: number;
      /** Ms since 1970. */
      readonly endedAtMs: number;
      /** Since its shard was handed to the queue. */
      readonly latencyMs: number;
    }
  | {
      readonly kind: 'shard';
      readonly node: string;
      readonly shard: string;
      readonly attempt: number;
      readonly latencyMs: number;
    }
  | {
      /** The node has heard that it is to end the shard before its time. */
      readonly kind: 'told';
      readonly node: string;
      readonly shard: string;
      /** Ms since 1970. */
      readonly atMs: number;
    };

/** How soon nodes hear that they are to end. */
export interface ToldMeasures {
  readonly nodes: number;
  readonly shards: number;
  /** Since the cancellation was asked for, over all shards that nodes had. */
  readonly seconds: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface FleetMeasures {
  readonly proofs: number;
  readonly shards: number;
  /** From the first verdict's begin to the last verdict. */
  readonly wallSeconds: number;
  /** Share of their processes' time that nodes spent on proofs, of those that were never lost. */
  readonly busy: { readonly min: number; readonly median: number; readonly max: number };
  /** Share of all processes' time that was spent on first verdicts. */
  readonly usefulShare: number;
  readonly proofLatencySeconds: { readonly p50: number; readonly p99: number };
  readonly shardLatencySeconds: { readonly p50: number; readonly p99: number };
  /** Process time spent on proofs that had been checked before. */
  readonly repeatedSeconds: number;
  /** `repeatedSeconds` over all process time spent. */
  readonly repeatedShare: number;
  readonly shardsTriedAgain: number;
}

/** @param lost nodes that were killed or came later */
export async function measureFleet(
  logDirectory: string,
  processesPerNode: number,
  nodes: readonly string[],
  lost: ReadonlySet<string>,
): Promise<FleetMeasures> {
  const busyMs = new Map<string, number>(nodes.map((node) => [node, 0]));
  const seen = new Set<string>();
  const [proofLatencies, shardLatencies]: [number[], number[]] = [[], []];
  let [firstMs, lastMs, allMs, repeatedMs, again] = [Number.POSITIVE_INFINITY, 0, 0, 0, 0];
  for await (const line of logLines(logDirectory)) {
    if (line.kind === 'told') continue;
    if (line.kind === 'shard') {
      shardLatencies.push(line.latencyMs);
      if (line.attempt > 1) again++;
      continue;
    }
    busyMs.set(line.node, (busyMs.get(line.node) ?? 0) + line.ms);
    firstMs = Math.min(firstMs, line.endedAtMs - line.ms);
    lastMs = Math.max(lastMs, line.endedAtMs);
    allMs += line.ms;
    const proof = `${line.shard} ${line.sample}`;
    if (seen.has(proof)) repeatedMs += line.ms;
    else proofLatencies.push(line.latencyMs);
    seen.add(proof);
  }
  const wallMs = lastMs - firstMs;
  const shares = nodes.filter((node) => !lost.has(node)).map((node) => busyMs.get(node)! / (wallMs * processesPerNode));
  return {
    proofs: seen.size,
    shards: shardLatencies.length,
    wallSeconds: wallMs / 1_000,
    busy: { min: quantile(shares, 0), median: quantile(shares, 0.5), max: quantile(shares, 1) },
    usefulShare: (allMs - repeatedMs) / (wallMs * processesPerNode * nodes.length),
    proofLatencySeconds: { p50: quantile(proofLatencies, 0.5) / 1_000, p99: quantile(proofLatencies, 0.99) / 1_000 },
    shardLatencySeconds: { p50: quantile(shardLatencies, 0.5) / 1_000, p99: quantile(shardLatencies, 0.99) / 1_000 },
    repeatedSeconds: repeatedMs / 1_000,
    repeatedShare: repeatedMs / allMs,
    shardsTriedAgain: again,
  };
}

/** @param askedAtMs when the cancellation was asked for, ms since 1970 */
export async function measureTold(logDirectory: string, askedAtMs: number): Promise<ToldMeasures> {
  const nodes = new Set<string>();
  const seconds: number[] = [];
  for await (const line of logLines(logDirectory)) {
    if (line.kind !== 'told') continue;
    nodes.add(line.node);
    seconds.push((line.atMs - askedAtMs) / 1_000);
  }
  return {
    nodes: nodes.size,
    shards: seconds.length,
    seconds: { p50: quantile(seconds, 0.5), p99: quantile(seconds, 0.99), max: quantile(seconds, 1) },
  };
}

async function* logLines(directory: string): AsyncGenerator<LogLine> {
  // The last line of a process that was killed may be cut.
  for (const name of (await readdir(directory)).sort())
    for await (const line of createInterface({ input: createReadStream(join(directory, name)) }))
      if (line.endsWith('}')) yield JSON.parse(line) as LogLine;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
