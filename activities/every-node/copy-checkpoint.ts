/** Copies a checkpoint to the disk of a node. The workflow `workflows/nodes/every-node.ts` runs this on every node. */

import { readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { CheckpointRef } from '@stp/config/records';
import { withHeartbeat } from '../edge.ts';
import type { RunScratch, RunStore } from '../ports.ts';
import { fetchCheckpoint } from '../training/checkpoints.ts';

export function copyCheckpointActivity(ports: RunStore & RunScratch) {
  return {
    /**
     * Copies the checkpoint to this node's disk and checks each file. A file that is already there is not fetched
     * again.
     */
    async copyCheckpoint(input: {
      readonly run: string;
      readonly checkpoint: CheckpointRef;
    }): Promise<{ readonly node: string; readonly directory: string; readonly bytes: number }> {
      return withHeartbeat(async (signal) => {
        const store = await ports.store(input.run);
        const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(input.run), signal);
        let bytes = 0;
        for (const name of await readdir(directory)) bytes += (await stat(join(directory, name))).size;
        return { node: hostname(), directory, bytes };
      });
    },
  };
}
