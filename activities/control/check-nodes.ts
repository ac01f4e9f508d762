/** Checks what machines of a cloud need before they are requested. */

import { StpError } from '@stp/base';
import type { NodesConfig } from '@stp/config';
import type { NodesInput } from '../nodes/node-sets.ts';
import type { CloudMachines, StoredObjects } from '../ports.ts';

/** First digits of its checksum, which `bin/stp nodes bundle` puts into the name of a bundle. */
const BUNDLE_DIGITS = /\/worker-([0-9a-f]{16})\.tar\.gz$/;

export function checkNodesActivity(ports: StoredObjects & CloudMachines) {
  return {
    /** Is all there that machines need at their start? Asks the cloud for nothing. STP1602 says what is missing. */
    async checkNodes(input: NodesInput): Promise<void> {
      const { provider, name } = ports.provider(input.run, input.nodes);
      // The requests as they will be: STP1602 where a value is not set.
      provider.plan({ run: name, generation: 1 });
      await requireBundle(input.nodes, ports.findObject);
    },
  };
}

/** STP1602 where the worker that machines install is not in its store, or its name is that of another checksum. */
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
