/**
 * The command line of a vLLM server on a checkpoint folder (vLLM 0.33; docs.vllm.ai, `vllm serve`). Such a server completes
 * or embeds, not both, so there are two kinds. It listens on this machine only and asks for no key.
 */
import type { VllmEngine } from '../../../data/schemas/engines.ts';

/** `complete`: samples. `embed`: vectors of texts, the mean over their tokens, as the `Generator` port has them. */
export type ServerTask = 'complete' | 'embed';

export const SERVER_HOST = '127.0.0.1';

export interface ServedCheckpoint {
  readonly directory: string;
  /** The name requests use: the hash of the weights, so that a server of another model is noticed. */
  readonly model: string;
}

export function vllmCommand(engine: VllmEngine, { directory, model }: ServedCheckpoint, task: ServerTask): string[] {
  const options: Record<string, string> = {
    '--served-model-name': model,
    '--host': SERVER_HOST,
    '--port': `${engine.port}`,
    '--tensor-parallel-size': `${engine.tensorParallelism}`,
    '--gpu-memory-utilization': `${engine.memoryShare}`,
    '--max-num-seqs': `${engine.requestsInFlight}`,
    // Else defaults that a folder's generation_config.json has would change what is sampled.
    '--generation-config': 'vllm',
    ...(engine.contextLength !== null && { '--max-model-len': `${engine.contextLength}` }),
    ...(task === 'embed' && {
      '--runner': 'pooling',
      '--convert': 'embed',
      '--pooler-config': JSON.stringify({ pooling_type: 'MEAN' }),
    }),
  };
  return [...engine.command, 'serve', directory, ...Object.entries(options).flat(), ...engine.arguments];
}
