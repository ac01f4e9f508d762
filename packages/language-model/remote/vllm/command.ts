/**
 * The command line of a vLLM server on a checkpoint folder (vLLM 0.33; docs.vllm.ai, `vllm serve`). A vLLM server
 * either completes or embeds, so there are two kinds. It listens on localhost only and needs no key.
 */
import { MODEL_PLACEHOLDER, type VllmEngine } from '@stp/config';
import { SERVER_HOST, type ServedCheckpoint, type ServerProgram, type ServerTask } from '../local/program.ts';

const TOKENS_PER_EVENT = 16;
/** The values that `--max-lora-rank` accepts. */
const ADAPTER_RANKS = [8, 16, 32, 64, 128, 256, 320, 512];

export const vllmProgram = (engine: VllmEngine): ServerProgram => ({
  kind: 'vllm',
  name: 'the vLLM server',
  engine,
  servedName: MODEL_PLACEHOLDER,
  command: (checkpoint, task) => vllmCommand(engine, checkpoint, task),
  advice:
    'It is started anew on the next try. Where memory ran out, lower memoryShare, contextLength or requestsInFlight of engines.generator.',
  servesAdapters: true,
  embeds: true,
  endsWithInput: false,
  fixesSampling: false,
});

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
    // Otherwise a folder's generation_config.json would change the sampling.
    '--generation-config': 'vllm',
    // An event for each token of hundreds of streams would overload both sides. The first and the last are sent at
    // once.
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
