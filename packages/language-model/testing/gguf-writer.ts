/** GGUF files for tests: of a checkpoint, in single precision and with its tokenizer, as llama.cpp's converter makes them. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { OWN_CONSTANTS } from '../checkpoint/llama-tensors.ts';
import { type GgufModel, modelGguf, tensorBytes } from '../gguf/model-gguf.ts';
import { type GgufField, ggufHeader, padded, type TensorSpec } from '../gguf/write-gguf.ts';

/** Values of `tokenizer.ggml.token_type`. */
const [CONTROL, USER] = [3, 4] as const;

export interface WrittenTensor extends Omit<TensorSpec, 'bytes'> {
  readonly data: Buffer;
}

export function writeGguf(fields: Readonly<Record<string, GgufField>>, tensors: readonly WrittenTensor[]): Buffer {
  const specs = tensors.map((tensor) => ({ ...tensor, bytes: tensor.data.length }));
  return Buffer.concat([ggufHeader(fields, specs), ...tensors.map(({ data }) => padded(data))]);
}

/** The fields and tensors of a checkpoint. */
export function llamaGguf({ shape, tensors, tokenizer }: Checkpoint) {
  const made = singleGguf({ shape, constants: OWN_CONSTANTS, tensors, tokenizer }, 'smollm');
  const fields = { 'general.license': 'apache-2.0', 'tokenizer.chat_template': '{{ messages[0].content }}' };
  return { fields: { ...made.fields, ...fields }, tensors: made.tensors };
}

/**
 * The fields and tensors of a model in single precision, with its merges.
 * @param pre the name of its splitting of texts in llama.cpp
 */
export function singleGguf(model: GgufModel, pre: string) {
  const { fields, tensors } = modelGguf(model, 'a model');
  const { file, vocabulary } = model.tokenizer;
  const types = [...(fields['tokenizer.ggml.token_type'] as readonly number[])];
  for (const { id, special } of file.added_tokens) types[id] = special ? CONTROL : USER;
  const ours: Record<string, GgufField> = {
    ...fields,
    'tokenizer.ggml.pre': pre,
    'tokenizer.ggml.tokens': types.map((_, id) => vocabulary[id] || `<${id}>`),
    'tokenizer.ggml.token_type': types,
    'tokenizer.ggml.merges': file.model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' '))),
  };
  const written = tensors.map((tensor): WrittenTensor => {
    const single = { ...tensor, type: 0 };
    return { name: tensor.name, shape: tensor.shape, type: 0, data: tensorBytes(single) };
  });
  return { fields: ours, tensors: written };
}
