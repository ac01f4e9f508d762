/**
 * Tests that a GGUF file becomes the folder that it was made from, and that damaged and unknown files are refused. Two
 * seconds.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { describe, expect, it } from 'vitest';
import { readModel } from '../checkpoint/model-folder.ts';
import { llamaGguf, type WrittenTensor, writeGguf } from '../testing/gguf-writer.ts';
import { SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from '../testing/small-checkpoint.ts';
import { readGguf } from './gguf-file.ts';
import { ggufToFolder } from './gguf-folder.ts';
import { TENSOR_TYPES } from './tensor-types.ts';
import type { GgufField } from './write-gguf.ts';

const checkpoint = smallCheckpoint({ ...SMALL_SHAPE, tiedEmbeddings: false });
const written = llamaGguf(checkpoint);

async function convert(file: Buffer) {
  const directory = await temporaryDirectory();
  const path = join(directory, 'model.gguf');
  await writeFile(path, file);
  const folder = join(directory, 'model');
  const problem = await ggufToFolder(path, folder).then(
    () => null,
    (error: unknown) => error,
  );
  return { folder, problem, left: (await readdir(directory)).sort() };
}

it('becomes the model that it was made of', async () => {
  const { folder, problem } = await convert(writeGguf(written.fields, written.tensors));
  expect(problem).toBeNull();
  const read = await readModel(folder);
  expect(read.shape).toEqual(checkpoint.shape);
  expect(read.constants).toEqual({ rmsEpsilon: 1e-5, ropeTheta: 10_000 });
  expect(new Map(read.tensors)).toEqual(checkpoint.tensors);
  expect([...read.tokenizer.endIds]).toEqual([checkpoint.tokenizer.endId]);
  expect(read.tokenizer.decode(read.tokenizer.encode('n + 12<by>rfl'))).toBe('n + 12<by>rfl');
  expect(read.template?.source).toBe('{{ messages[0].content }}');
  expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).license).toBe('apache-2.0');
});

it('has blocks of values that are read as llama.cpp reads them', () => {
  const read = (name: string, bytes: readonly number[]) =>
    [...TENSOR_TYPES.values()].find((type) => type.name === name)!.read!(Buffer.from(bytes));
  // 1, −2 and 0.5 in half precision are 3c00, c000 and 3800.
  expect([...read('F16', [0, 0x3c, 0, 0xc0])]).toEqual([1, -2]);
  expect([...read('BF16', [0x80, 0x3f, 0, 0xc0])]).toEqual([1, -2]);
  const nibbles = [0x1f, ...new Array(15).fill(0x88)];
  expect([...read('Q4_0', [0, 0x38, ...nibbles])].filter((value) => value !== 0)).toEqual([3.5, -3.5]);
  const [first, second] = [
    read('Q4_1', [0, 0x38, 0, 0xc0, ...nibbles])[0],
    read('Q4_1', [0, 0x38, 0, 0xc0, ...nibbles])[16],
  ];
  expect([first, second]).toEqual([5.5, -1.5]);
  expect([...read('Q8_0', [0, 0x38, 2, 0xfe, ...new Array(30).fill(0)])].slice(0, 3)).toEqual([1, -1, 0]);
});

describe('a GGUF that cannot be converted', () => {
  const other = (fields: Record<string, GgufField>, tensors: readonly WrittenTensor[] = written.tensors) =>
    writeGguf({ ...written.fields, ...fields }, tensors);
  const first = written.tensors[0]!;
  it.each<[string, Buffer, RegExp]>([
    ['no GGUF', Buffer.from('not a model at all'), /does not begin with GGUF/],
    ['nothing', Buffer.alloc(0), /ends before/],
    ['an unknown version', Buffer.from('4747554609000000', 'hex'), /version 9/],
    ['another architecture', other({ 'general.architecture': 'mamba' }), /general\.architecture/],
    ['experts', other({ 'llama.expert_count': 8 }), /expert_count/],
    ['another way to cut texts', other({ 'tokenizer.ggml.pre': 'dbrx' }), /tokenizer\.ggml\.pre/],
    ['a tensor too few', other({}, written.tensors.slice(1)), /embed_tokens\.weight is missing/],
    ['a tensor too many', other({}, [...written.tensors, { ...first, name: 'rope_freqs.weight' }]), /rope_freqs/],
    ['values of an unknown type', other({}, [{ ...first, type: 99 }, ...written.tensors.slice(1)]), /unknown type/],
    ['values that are not read', other({}, [{ ...first, shape: [8, 256], type: 14 }]), /Q6_K, which is not converted/],
    ['an end that is no token', other({ 'tokenizer.ggml.eos_token_id': 9_999 }), /no token has the id 9999/],
  ])('with %s', async (_, file, problem) => {
    const { problem: error, left } = await convert(file);
    if (!(error instanceof StpError)) throw error;
    expect(error).toMatchObject({ code: 'STP1302', message: expect.stringMatching(problem) });
    expect(error.toText().split('\n').length).toBeLessThanOrEqual(10);
    expect(left).toEqual(['model.gguf']);
  });

  it('that is a folder, or is not there', async () => {
    const directory = await temporaryDirectory();
    await expect(readGguf(directory)).rejects.toMatchObject({
      code: 'STP1002',
      message: `${directory} is a folder`,
      advice: expect.stringContaining('.gguf'),
    });
    const missing = join(directory, 'nosuch.gguf');
    await expect(readGguf(missing)).rejects.toMatchObject({ code: 'STP1002', message: `there is no file ${missing}` });
  });

  it('cut short anywhere', async () => {
    const whole = writeGguf(written.fields, written.tensors);
    const directory = await temporaryDirectory();
    for (let length = 5; length < whole.length; length += Math.ceil(whole.length / 200)) {
      const path = join(directory, `${length}.gguf`);
      await writeFile(path, whole.subarray(0, length));
      await expect(readGguf(path)).rejects.toMatchObject({ code: 'STP1302' });
    }
  });
});
