/**
 * The command line of a vLLM server on a checkpoint folder (vLLM 0.33; docs.vllm.ai, `vllm serve`). Such a server completes
 * or embeds, not both, so there are two kinds. It listens on this machine only and asks for no key.
 */
import type { VllmEngine } from '@stp/config';

/** `complete`: samples. `embed`: vectors of texts, the mean over their tokens, as the `Generator` port has them. */
export type ServerTask = 'complete' | 'embed';

export const SERVER_HOST = '127.0.0.1';

export interface ServedCheckpoint {
  readonly directory: string;
  /** The name requests use: the hash of the weights, so that a server of another model is noticed. */
  readonly model: string;
  /** Where the folder holds an adapter: the whole model that it belongs to, and the adapter's rank. */
  readonly adapterOf?: { readonly base: string; readonly rank: number } | undefined;
}

const TOKENS_PER_EVENT = 16;
/** Values that `--max-lora-rank` takes. */
const ADAPTER_RANKS = [8, 16, 32, 64, 128, 256, 320, 512];

export function vllmCommand(
  engine: VllmEngine,
  { directory, model, adapterOf }: ServedCheckpoint,
  task: ServerTask,
): string[] {
  const options: Record<string, string> = {
    ...(adapterOf === undefined
      ? { '--served-model-name': model }
      : {
          '--served-model-name': 'base',
          '--lora-modules': `${model}=${directory}`,
          '--max-lora-rank': `${ADAPTER_RANKS.find((rank) => rank >= adapterOf.rank) ?? adapterOf.rank}`,
        }),
    '--host': SERVER_HOST,
    '--port': `${engine.port}`,
    '--tensor-parallel-size': `${engine.tensorParallelism}`,
    '--gpu-memory-utilization': `${engine.memoryShare}`,
    '--max-num-seqs': `${engine.requestsInFlight}`,
    // Else defaults that a folder's generation_config.json has would change what is sampled.
    '--generation-config': 'vllm',
    // An event for each token of hundreds of streams would keep both sides busy; the first and the last come at once.
    ...(task === 'complete' && { '--stream-interval': `${TOKENS_PER_EVENT}` }),
    ...(engine.contextLength !== null && { '--max-model-len': `${engine.contextLength}` }),
    ...(task === 'embed' && {
      '--runner': 'pooling',
      '--convert': 'embed',
      '--pooler-config': JSON.stringify({ pooling_type: 'MEAN' }),
    }),
  };
  const flags = adapterOf === undefined ? [] : ['--enable-lora'];
  const folder = adapterOf?.base ?? directory;
  return [...engine.command, 'serve', folder, ...Object.entries(options).flat(), ...flags, ...engine.arguments];
}
