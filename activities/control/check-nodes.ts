/** Checks the prerequisites of cloud machines before they are requested. */

import { StpError } from '@stp/base';
import type { NodesConfig } from '@stp/config';
import type { NodesInput } from '../nodes/node-sets.ts';
import type { CloudMachines, StoredObjects } from '../ports.ts';

/** Matches the name of a bundle. `bin/stp nodes bundle` puts the first digits of the bundle's checksum into it. */
const BUNDLE_DIGITS = /\/worker-([0-9a-f]{16})\.tar\.gz$/;

export function checkNodesActivity(ports: StoredObjects & CloudMachines) {
  return {
    /**
     * Checks that everything exists that the machines need at their start. Sends the cloud no request. Throws STP1602
     * with what is missing.
     */
    async checkNodes(input: NodesInput): Promise<void> {
      const { provider, name } = ports.provider(input.run, input.nodes);
      // Plans the requests: throws STP1602 where a value is not set.
      provider.plan({ run: name, generation: 1 });
      await requireBundle(input.nodes, ports.findObject);
    },
  };
}

/** Throws STP1602 if the store lacks the worker that machines install, or if its name has another checksum. */
async function requireBundle(nodes: NodesConfig, findObject: StoredObjects['findObject']): Promise<void> {
  if (nodes.provider !== 'tpu' && nodes.provider !== 'gpu') return;
  const { bundle, bundleSha256 } = nodes;
  const advice = 'Run `bin/stp nodes bundle` and set nodes.bundle and nodes.bundleSha256 to what it prints.';
  const facts = { bundle, bundleSha256 };
  const named = BUNDLE_DIGITS.exec(bundle!)?.[1];
  if (named !== undefined && !bundleSha256!.startsWith(named))
    throw new StpError('STP1602', `nodes.bundleSha256 is not the checksum of ${bundle}`, advice, { facts });
  if ((await findObject(bundle!)) === null)
    throw new StpError('STP1602', `${bundle}, the archive that machines install, does not exist`, advice, { facts });
}
