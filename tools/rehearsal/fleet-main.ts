/**
 * On the control machine of a rehearsal: simulated nodes in a few processes, and one real round whose shards they verify.
 * Prints what came of it as one line of JSON.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { openStore } from '../../infra/stores/open-store.ts';
import type { NodeFigures } from '../simulated/node.ts';
import { playSimulatedRound } from '../simulated/round.ts';
import type { FleetFigures, FleetInput } from './fleet.ts';
import type { FleetNodesInput } from './fleet-nodes-main.ts';

const NODES_PER_PROCESS = 50;
const SCRIPT = join(import.meta.dirname, 'fleet-nodes-main.ts');

const input = JSON.parse(process.argv[2]!) as FleetInput;
const { storeUri, processesPerNode, proofMs } = input;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const over = new AbortController();
const names = Array.from({ length: input.nodes }, (_, index) => `node-${index}`);
const groups = Array.from({ length: Math.ceil(names.length / NODES_PER_PROCESS) }, (_, index) => {
  const nodes = names.slice(index * NODES_PER_PROCESS, (index + 1) * NODES_PER_PROCESS);
  const argument: FleetNodesInput = { storeUri, nodes, processesPerNode, proofMs };
  const child = fork(SCRIPT, [JSON.stringify(argument)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.once('exit', (code) => over.abort(new Error(`a process of nodes ended with code ${code}`)));
  return child;
});

/** Seconds of all cores since the machine began, busy and in all. */
function coreSeconds(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = Object.values(times).reduce((total, ms) => total + ms, 0);
    all += sum / 1_000;
    busy += (sum - times.idle) / 1_000;
  }
  return { busy, all };
}

const before = coreSeconds();
const outcome = await playSimulatedRound(
  {
    ...{ server: loadClientConnectConfig().connectionOptions, store: await openStore(storeUri), run: 'simulated' },
    ...{ shards: input.shards, proofsPerShard: input.proofsPerShard, nodes: input.nodes },
  },
  over.signal,
);
const after = coreSeconds();
const told = await Promise.all(
  groups.map(async (child) => {
    const figures = once(child, 'message');
    child.send('end');
    return (await figures)[0] as NodeFigures[];
  }),
);
const figures: FleetFigures = {
  proveSeconds: outcome.proveSeconds,
  shards: outcome.shards.length,
  verdicts: outcome.shards.reduce((sum, { verdictCounts }) => sum + (verdictCounts.rejected ?? 0), 0),
  history: outcome.history,
  machineBusy: (after.busy - before.busy) / (after.all - before.all),
  nodes: told.flat(),
};
console.log(JSON.stringify(figures));
process.exit();
