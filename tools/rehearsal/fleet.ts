/**
 * A round of a large fleet on the Temporal server of an installation: its nodes are simulated, its workflow, its activity that
 * verifies shards and the server are real. What that costs the nodes, the server and its database.
 */

import { resolveConfig } from '@stp/config';
import { shardSize } from '../../activities/control/plan-shards.ts';
import type { NodeFigures } from '../simulated/node.ts';
import type { Installation } from './installation.ts';
import { SEEN_DISK, SEEN_NODE, SEEN_REPOSITORY } from './places.ts';

export interface FleetOptions {
  readonly nodes: number;
  readonly samples: number;
  /** What Lean needs for a proof. */
  readonly proofMs: number;
}

export interface FleetInput {
  readonly storeUri: string;
  readonly nodes: number;
  readonly processesPerNode: number;
  readonly proofMs: number;
  readonly shards: number;
  readonly proofsPerShard: number;
}

export interface FleetFigures {
  /** Of the round's stage that samples and verifies. */
  readonly proveSeconds: number;
  readonly shards: number;
  readonly verdicts: number;
  readonly history: { readonly events: number; readonly bytes: number };
  /** Share of this machine's cores that were at work meanwhile, other work included. */
  readonly machineBusy: number;
  readonly nodes: readonly NodeFigures[];
}

/** Of the nodes' time. */
export interface FleetShares {
  /** From the first shard of all until a node's last one ended, what its processes did not check. */
  readonly beside: number;
  /** What of that was before a node's first check. */
  readonly start: number;
  /** The same of the node with the most. */
  readonly besideWorst: number;
  /** Of all time until the last shard ended, what came after a node's own last: no shard was left. */
  readonly end: number;
}

const PROCESSES_PER_NODE = 8;
/** Shards are cut as for a round of STP's paper. */
const { samplesPerStatement, statementsPerShard } = resolveConfig({ preset: 'stp-paper' }).sampling;

export async function playFleet(
  installation: Installation,
  { nodes, samples, proofMs }: FleetOptions,
): Promise<string> {
  const statements = Math.ceil(samples / samplesPerStatement);
  const size = shardSize(statements, statementsPerShard);
  const input: FleetInput = {
    ...{ storeUri: `file://${SEEN_DISK}/fleet`, nodes, processesPerNode: PROCESSES_PER_NODE, proofMs },
    ...{ shards: Math.ceil(statements / size), proofsPerShard: size * samplesPerStatement },
  };
  const before = await installation.databaseBytes();
  const played = await installation.onControl(SEEN_NODE, [
    `${SEEN_REPOSITORY}/tools/rehearsal/fleet-main.ts`,
    JSON.stringify(input),
  ]);
  // The SDK's own warnings come before it.
  const figures = JSON.parse(String(played.stdout).trimEnd().split('\n').at(-1)!) as FleetFigures;
  return tableOf(input, figures, (await installation.databaseBytes()) - before);
}

export function fleetShares(nodes: readonly NodeFigures[], processesPerNode: number): FleetShares {
  const worked = nodes.filter(({ begunAtMs }) => begunAtMs !== null);
  const begunAtMs = Math.min(...worked.map((node) => node.begunAtMs!));
  const endedAtMs = Math.max(...worked.map((node) => node.endedAtMs));
  const spans = worked.map((node) => node.endedAtMs - begunAtMs);
  const checked = worked.map(({ checkMs }) => checkMs / processesPerNode);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return {
    beside: 1 - sum(checked) / sum(spans),
    start: sum(worked.map((node) => (node.checkingAtMs ?? node.endedAtMs) - begunAtMs)) / sum(spans),
    besideWorst: Math.max(...spans.map((span, index) => 1 - checked[index]! / span)),
    end: 1 - sum(spans) / (nodes.length * (endedAtMs - begunAtMs)),
  };
}

function tableOf(input: FleetInput, figures: FleetFigures, databaseBytes: number): string {
  const { nodes, processesPerNode, proofMs, shards, proofsPerShard } = input;
  const atBest = (shards * proofsPerShard * proofMs) / 1_000 / (nodes * processesPerNode);
  const { beside, besideWorst, start, end } = fleetShares(figures.nodes, processesPerNode);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const row = [
    `${nodes} × ${processesPerNode}`,
    `${figures.shards} × ${proofsPerShard}`,
    figures.verdicts,
    `${proofMs} ms`,
    `${atBest.toFixed(0)} s`,
    `${figures.proveSeconds.toFixed(0)} s`,
    `${percent(beside)}, ${percent(besideWorst)}`,
    percent(start),
    percent(end),
    figures.history.events,
    `${(figures.history.bytes / 1e6).toFixed(2)} MB`,
    `${(databaseBytes / 1e6).toFixed(1)} MB`,
    percent(figures.machineBusy),
  ];
  return [
    '| nodes × processes | shards × samples | verdicts | a proof takes | at best | took | node time beside checks, and of the worst node | of it before the first check | no shard left at the end | events | history | database grew by | this machine was busy |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    `| ${row.join(' | ')} |`,
    '',
  ].join('\n');
}
