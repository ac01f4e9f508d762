/** Loads files into the memory of a node. The workflow `workflows/nodes/every-node.ts` gives it to every node. */

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { freemem, hostname } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { withHeartbeat } from '../edge.ts';

/** Page cache is what memory is left over for: not all of it, since the work to come needs some. */
const WARMED_SHARE_OF_FREE = 0.5;
const READ_BYTES = 4 * 1024 * 1024;

export function warmPageCacheActivity() {
  return {
    /**
     * Reads the files below some folders once, so that processes which map them later find them in memory: Mathlib's compiled
     * modules, a model's weights. Stops at half of what memory is free. Folders that are not there are passed over.
     */
    async warmPageCache(input: {
      readonly folders: readonly string[];
    }): Promise<{ readonly node: string; readonly files: number; readonly bytes: number; readonly whole: boolean }> {
      return withHeartbeat(async (signal, report) => {
        const bytesMax = freemem() * WARMED_SHARE_OF_FREE;
        let [files, bytes] = [0, 0];
        for (const folder of input.folders)
          for await (const path of filesBelow(folder)) {
            const { size } = await stat(path);
            if (bytes + size > bytesMax) return { node: hostname(), files, bytes, whole: false };
            for await (const _ of createReadStream(path, { highWaterMark: READ_BYTES, signal }))
              signal.throwIfAborted();
            files += 1;
            bytes += size;
            report({ files, bytes });
          }
        return { node: hostname(), files, bytes, whole: true };
      });
    },
  };
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new StpError('STP1605', `${folder} cannot be read: ${cause.message}`, "Check the node's disk.", { cause });
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
