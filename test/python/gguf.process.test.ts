/** The Python `gguf` (llama.cpp's own) against our reader: types of values, and whole files. Costs two seconds where it is installed. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readGguf, readTensorBytes, temporaryDirectory } from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { runPython, skipsPython } from './python.ts';

it.skipIf(skipsPython('GGUF'))(
  'values of every type that is read are those of the Python package, bit for bit',
  async () => {
    const path = join(await temporaryDirectory(), 'random.gguf');
    const answer = (await runPython('gguf_values.py', { path, seed: 3 })) as {
      tensors: Record<string, { shape: number[]; values: number[] }>;
      fields: Record<string, unknown>;
    };
    const { metadata, tensors } = await readGguf(path);
    for (const [name, value] of Object.entries(answer.fields)) expect(metadata.get(name), name).toEqual(value);
    expect(tensors.map(({ name }) => name).sort()).toEqual(['BF16', 'F16', 'F32', 'Q4_0', 'Q4_1', 'Q8_0']);
    const file = await open(path);
    for (const tensor of tensors) {
      const { shape, values } = answer.tensors[tensor.name]!;
      expect(tensor.shape).toEqual(shape);
      expect([...tensor.type.read!(await readTensorBytes(file, tensor))], tensor.name).toEqual(values);
    }
    await file.close();
  },
);
