/**
 * Generators of a model server, one a checkpoint. They work at the same time and beside a training: the work is elsewhere.
 * One is used again for the same checkpoint, since it holds the samples of tries that failed.
 */
import type { Generator } from '../model/generator.ts';
import { type RemoteOptions, remoteGenerator } from '../model/openai/engine.ts';

/** An evaluation compares two checkpoints, and runs share a worker. */
const CHECKPOINTS_MAX = 4;

export function remoteGenerators(options: RemoteOptions) {
  const open = new Map<string, Promise<Generator>>();
  return {
    /** Throws STP1304 where the server does not serve the checkpoint in the folder. */
    generator(checkpointDirectory: string): Promise<Generator> {
      const existing = open.get(checkpointDirectory);
      if (existing) return existing;
      // Whoever still uses the oldest keeps it; it is only forgotten here, and holds no process.
      const oldest = open.keys().next().value;
      if (oldest !== undefined && open.size >= CHECKPOINTS_MAX) open.delete(oldest);
      const opening = remoteGenerator(options)(checkpointDirectory);
      open.set(checkpointDirectory, opening);
      opening.catch(() => open.delete(checkpointDirectory));
      return opening;
    },
    async close(): Promise<void> {
      for (const opening of open.values()) await opening.then((generator) => generator.close()).catch(() => undefined);
      open.clear();
    },
  };
}
