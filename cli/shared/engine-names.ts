/** The names of engines as people know them. */
import type { EngineName } from '@stp/config';

export const ENGINE_NAMES: Readonly<Record<EngineName, string>> = {
  embedded: 'embedded',
  'llama-cpp': 'llama.cpp',
  transformers: 'transformers serve',
  vllm: 'vLLM',
  pytorch: 'PyTorch',
};
