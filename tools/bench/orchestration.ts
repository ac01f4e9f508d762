/**
 * Measures what Temporal, the store and the activity add to the checks: a real server and workflow, real `verifyShard`
 * on shards of 500, over simulated processes that take a nominal 10 ms per proof. Overhead is the wall time of the
 * stage over the time that the processes need, minus one. `verify` measures the pool's own share.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { temporalExecutable } from '../../cli/temporal.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { startDevServer } from '../../infra/temporal/dev-server.ts';
import { workerSettings } from '../../workers/settings.ts';
import { simulatedNode } from '../simulated/node.ts';
import { playSimulatedRound } from '../simulated/round.ts';
import { row } from './measure.ts';

const PROOF_MS = 10;
const PROOFS_PER_SHARD = 500;
/** Half a minute of checks each. */
const SIZES = [
  { processes: 2, shards: 12 },
  { processes: 8, shards: 48 },
  { processes: 30, shards: 180 },
] as const;

export async function benchOrchestration(directory: string): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const { executable } = await temporalExecutable(workerSettings(), console.error);
  for (const { processes, shards } of SIZES)
    for (const slots of [1, 2]) {
      const server = await startDevServer({ executable });
      const storeUri = pathToFileURL(join(directory, `orchestration-${processes}-${slots}`)).href;
      const store = await openStore(storeUri);
      const connection = await NativeConnection.connect({ address: server.address });
      const node = { name: 'bench', connection, store, processes, proofMs: PROOF_MS, shardsAtOnce: slots };
      const { worker } = await simulatedNode(node);
      const round = {
        server: { address: server.address },
        store,
        run: 'bench',
        shards,
        proofsPerShard: PROOFS_PER_SHARD,
        nodes: 1,
      };
      const { proveSeconds } = await worker.runUntil(() => playSimulatedRound(round, new AbortController().signal));
      await connection.close();
      await server.stop();
      const idealSeconds = (shards * PROOFS_PER_SHARD * PROOF_MS) / 1_000 / processes;
      const name = `overhead of orchestration, ${processes} processes, ${slots} shard${slots > 1 ? 's' : ''} at once`;
      row(name, 100 * (proveSeconds / idealSeconds - 1), '%', 2);
    }
}
