/** GGUF files for tests: of a checkpoint, in single precision and with its tokenizer, as llama.cpp's converter makes them. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { modelGguf, tensorBytes } from '../gguf/model-gguf.ts';
import { type GgufField, ggufHeader, padded, type TensorSpec } from '../gguf/write-gguf.ts';

export interface WrittenTensor extends Omit<TensorSpec, 'bytes'> {
  readonly data: Buffer;
}

export function writeGguf(fields: Readonly<Record<string, GgufField>>, tensors: readonly WrittenTensor[]): Buffer {
  const specs = tensors.map((tensor) => ({ ...tensor, bytes: tensor.data.length }));
  return Buffer.concat([ggufHeader(fields, specs), ...tensors.map(({ data }) => padded(data))]);
}

/** The fields and tensors of a checkpoint. */
export function llamaGguf({ shape, tensors, tokenizer }: Checkpoint) {
  const constants = { rmsEpsilon: 1e-5, ropeTheta: 10_000 };
  const made = modelGguf({ shape, constants, tensors, tokenizer }, 'a checkpoint');
  const fields: Record<string, GgufField> = {
    ...made.fields,
    'general.license': 'apache-2.0',
    'tokenizer.ggml.pre': 'smollm',
    'tokenizer.ggml.tokens': Array.from(
      { length: shape.vocabularySize },
      (_, id) => tokenizer.vocabulary[id] ?? `<${id}>`,
    ),
    'tokenizer.ggml.merges': tokenizer.file.model.merges as readonly string[],
    'tokenizer.chat_template': '{{ messages[0].content }}',
  };
  const written = made.tensors.map((tensor): WrittenTensor => {
    const single = { ...tensor, type: 0 };
    return { name: tensor.name, shape: tensor.shape, type: 0, data: tensorBytes(single) };
  });
  return { fields, tensors: written };
}
