/**
 * Generators over model servers, one for each checkpoint. They work in parallel and during a training, because the
 * servers do the work. A generator is reused while its server has the checkpoint, because it keeps the samples of
 * failed attempts.
 */
import { type RemoteGenerator, type RemoteOptions, remoteGenerator } from '@stp/language-model';

/** Most open generators: an evaluation compares two checkpoints, and runs share a worker. */
const CHECKPOINTS_MAX = 4;

export function remoteGenerators(options: RemoteOptions) {
  const open = new Map<string, RemoteGenerator>();
  return {
    /**
     * Throws STP1304 if no server has the checkpoint of the folder; throws the signal's reason if it ends the search.
     */
    async generator(checkpointDirectory: string, signal?: AbortSignal): Promise<RemoteGenerator> {
      const existing = open.get(checkpointDirectory);
      if (existing !== undefined && (await isServed(existing, signal))) return existing;
      // The old generator stays until another is found, because it holds samples and its server may be restarting.
      const generator = await remoteGenerator(options)(checkpointDirectory, signal);
      open.delete(checkpointDirectory);
      // The oldest generator is not closed, because a run may still use it. It has no process, and its idle connections
      // end by themselves.
      const oldest = open.keys().next().value;
      if (oldest !== undefined && open.size >= CHECKPOINTS_MAX) open.delete(oldest);
      open.set(checkpointDirectory, generator);
      return generator;
    },
    async close(): Promise<void> {
      for (const generator of open.values()) await generator.close();
      open.clear();
    },
  };
}

/** A server that does not answer counts as not serving; another may serve the checkpoint. */
async function isServed(generator: RemoteGenerator, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return await generator.isServed(signal);
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
