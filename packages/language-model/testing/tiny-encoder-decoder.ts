/** An encoder-decoder folder in the form of `optimum-cli export onnx`, without cache, whose graphs our own writer makes: a table of which byte follows which. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Graph } from '../embedded/onnx/graph.ts';
import { add, multiply } from '../embedded/onnx/operations/arithmetic.ts';
import { gatherRows } from '../embedded/onnx/operations/layout.ts';
import { BYTE_END_ID, byteIds } from '../encoder-decoder/byte-tokenizer.ts';

/** After each byte the next of one of these texts, the first of them the likelier; after the last the end. */
export const TEXTS = ['rfl', 'simp'] as const;

export async function tinyEncoderDecoder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-seq2seq-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const vocabulary = 384;
  const table = new Float32Array(vocabulary * vocabulary);
  const set = (from: number, to: number, logit: number): void => {
    table[from * vocabulary + to] = logit;
  };
  for (const [rank, text] of TEXTS.entries()) {
    const ids = [0, ...byteIds(text), BYTE_END_ID];
    for (const [at, id] of ids.slice(0, -1).entries()) set(id, ids[at + 1]!, 30 - rank);
  }
  const encoder = new Graph('encoder');
  const ids = encoder.input('input_ids', 'int64', ['batch', 'length']);
  const mask = encoder.input('attention_mask', 'int64', ['batch', 'length']);
  const masked = multiply(ids, mask);
  const states = encoder.initializer(
    'states',
    [vocabulary, 2],
    Float32Array.from({ length: 2 * vocabulary }, (_, at) => (at % 2 ? 1 : at)),
  );
  encoder.output('last_hidden_state', gatherRows(states, masked));
  const decoder = new Graph('decoder');
  const written = decoder.input('input_ids', 'int64', ['batch', 'length']);
  decoder.input('encoder_hidden_states', 'float32', ['batch', 'text', 2]);
  decoder.input('encoder_attention_mask', 'int64', ['batch', 'text']);
  const logits = gatherRows(decoder.initializer('table', [vocabulary, vocabulary], table), written);
  decoder.output('logits', add(logits, decoder.scalar(0)));
  await writeFile(join(directory, 'encoder_model.onnx'), encoder.encode());
  await writeFile(join(directory, 'decoder_model.onnx'), decoder.encode());
  const config = {
    model_type: 't5',
    is_encoder_decoder: true,
    vocab_size: vocabulary,
    d_model: 2,
    d_kv: 1,
    num_heads: 1,
  };
  await writeFile(join(directory, 'config.json'), JSON.stringify({ ...config, pad_token_id: 0, eos_token_id: 1 }));
  return directory;
}
