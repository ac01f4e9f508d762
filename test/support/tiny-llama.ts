/** A random Llama as other people's folders are: weights and a tokenizer of its own, no manifest. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Example } from '@stp/config/records';
import { type ModelShape, makeFreshCheckpoint } from '@stp/language-model/testing';
import { runPython } from '../python/python.ts';

const END_ID = 0;

/** Writes `folder`; the tokenizer is trained on the examples. Needs the Python of the tests. */
export async function tinyLlama(folder: string, shape: ModelShape, examples: readonly Example[]): Promise<void> {
  const fresh = `${folder}-fresh`;
  const examplesPath = `${folder}-examples.jsonl`;
  await writeFile(examplesPath, examples.map((example) => `${JSON.stringify(example)}\n`).join(''));
  await makeFreshCheckpoint({ examplesPath, shape, seed: 1 }, fresh);
  const config = {
    ...{ vocab_size: shape.vocabularySize, hidden_size: shape.hiddenSize, num_hidden_layers: shape.layers },
    ...{ num_attention_heads: shape.heads, num_key_value_heads: shape.keyValueHeads },
    ...{ intermediate_size: shape.feedForwardSize, max_position_embeddings: shape.contextLength },
    ...{ tie_word_embeddings: true, rope_theta: 100_000, eos_token_id: END_ID, bos_token_id: null, pad_token_id: null },
  };
  await mkdir(folder, { recursive: true });
  await runPython('make_model.py', { directory: folder, family: 'llama', config, dtype: 'float32', seed: 1 });
  await cp(join(fresh, 'tokenizer.json'), join(folder, 'tokenizer.json'));
  await rm(fresh, { recursive: true });
}
