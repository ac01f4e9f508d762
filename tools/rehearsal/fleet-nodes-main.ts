/**
 * Some simulated nodes of a rehearsal in one process, until the process that started it says `end`: then it tells that one what
 * the nodes have done.
 */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { openStore } from '../../infra/stores/open-store.ts';
import { runTogether } from '../../workers/run-together.ts';
import { simulatedNode } from '../simulated/node.ts';

export interface FleetNodesInput {
  readonly storeUri: string;
  /** Names. */
  readonly nodes: readonly string[];
  readonly processesPerNode: number;
  readonly proofMs: number;
}

/** As a real node that leaves no core idle. */
const SHARDS_AT_ONCE = 2;

process.once('disconnect', () => process.exit(1));
Runtime.install({ logger: new DefaultLogger('ERROR') });
const input = JSON.parse(process.argv[2]!) as FleetNodesInput;
const store = await openStore(input.storeUri);
const { connectionOptions } = loadClientConnectConfig();
const nodes = await Promise.all(
  input.nodes.map(async (name) =>
    simulatedNode({
      ...{ name, store, connection: await NativeConnection.connect(connectionOptions) },
      ...{ processes: input.processesPerNode, proofMs: input.proofMs, shardsAtOnce: SHARDS_AT_ONCE },
    }),
  ),
);
process.once('message', () => {
  for (const { worker } of nodes) worker.shutdown();
});
await runTogether(
  nodes.map(({ worker }) => worker),
  () => undefined,
);
process.send!(
  nodes.map(({ figures }) => figures),
  () => process.exit(),
);
