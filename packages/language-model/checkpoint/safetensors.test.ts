/** Tests that the safetensors reader trusts nothing in a file. Well under a second. */

import { StpError } from '@stp/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

const tensors = new Map([
  ['b.weight', { shape: [2, 3], values: Float32Array.of(1, -2, 3.5, 1e-30, -0, 6) }],
  ['a.norm', { shape: [2], values: Float32Array.of(Math.PI, -1e30) }],
]);

/** Makes a file with any header, its correct length field, and the given number of data bytes. */
function fileOf(header: unknown, dataBytes: number): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(dataBytes)]);
}
const entry = (shape: unknown, start: unknown, end: unknown, dtype: unknown = 'F32') => ({
  dtype,
  shape,
  data_offsets: [start, end],
});

const refusal = expect.objectContaining({ code: 'STP1302', message: expect.stringContaining('weights.bin') });

describe('safetensors', () => {
  it('reads back what was written, bit for bit and in order', () => {
    const read = readSafetensors(writeSafetensors(tensors), 'weights.bin');
    expect([...read]).toEqual([...tensors]);
    expect(Object.is(read.get('b.weight')?.values[4], -0)).toBe(true);
  });

  it('starts its data at a multiple of eight bytes', () => {
    const file = writeSafetensors(tensors);
    expect(Number(file.readBigUInt64LE()) % 8).toBe(0);
    expect(file.length).toBe(8 + Number(file.readBigUInt64LE()) + 4 * 8);
  });

  it('reads BF16 as the upper half of F32', () => {
    const file = fileOf({ x: entry([2], 0, 4, 'BF16') }, 4);
    file.writeUInt16LE(0x3fc0, file.length - 4);
    file.writeUInt16LE(0xc000, file.length - 2);
    expect(readSafetensors(file, 'weights.bin').get('x')?.values).toEqual(Float32Array.of(1.5, -2));
  });

  it('reads F16: ordinary, smallest, zero of either sign', () => {
    const bits = [0x3c00, 0xc248, 0x7bff, 0x0001, 0x03ff, 0x8000];
    const file = fileOf({ x: entry([bits.length], 0, 2 * bits.length, 'F16') }, 2 * bits.length);
    bits.forEach((half, index) => {
      file.writeUInt16LE(half, file.length - 2 * (bits.length - index));
    });
    const expected = Float32Array.of(1, -3.140625, 65_504, 2 ** -24, 1_023 * 2 ** -24, -0);
    expect(readSafetensors(file, 'weights.bin').get('x')?.values).toEqual(expected);
  });

  it.each<[string, () => Buffer]>([
    ['an empty file', () => Buffer.alloc(0)],
    ['a header past the end', () => Buffer.from('ffff000000000000', 'hex')],
    ['a header of many gigabytes', () => Buffer.concat([Buffer.from('ffffffffffffff7f', 'hex'), Buffer.alloc(64)])],
    ['a header over the cap', () => fileOf(`{}${' '.repeat(2 ** 20)}`, 0)],
    ['a header that is no JSON', () => fileOf('{"x":', 0)],
    ['a header that is no UTF-8', () => Buffer.concat([Buffer.from('0100000000000000', 'hex'), Buffer.from([0xff])])],
    ['a header that is a list', () => fileOf([], 0)],
    ['an unknown dtype', () => fileOf({ x: entry([1], 0, 8, 'I64') }, 8)],
    ['a negative offset', () => fileOf({ x: entry([1], -4, 0) }, 4)],
    ['an end before its start', () => fileOf({ x: entry([1], 4, 0) }, 4)],
    ['an offset that overflows', () => fileOf({ x: entry([1], 2 ** 53, 2 ** 53 + 4) }, 4)],
    [
      'offsets that are no list of two',
      () => fileOf({ x: entry([1], 0, 4), y: { ...entry([1], 4, 8), data_offsets: [4] } }, 8),
    ],
    ['the size of another dtype', () => fileOf({ x: entry([2], 0, 8, 'BF16') }, 8)],
    ['data cut short', () => writeSafetensors(tensors).subarray(0, -1)],
    ['a header cut short', () => writeSafetensors(tensors).subarray(0, 40)],
    ['a fractional size', () => fileOf({ x: entry([0.5], 0, 2) }, 2)],
    ['no dimensions', () => fileOf({ x: entry([], 0, 4) }, 4)],
    ['too many dimensions', () => fileOf({ x: entry([1, 1, 1, 1, 1], 0, 4) }, 4)],
    ['a dimension of zero', () => fileOf({ x: entry([0], 0, 0) }, 0)],
    ['sizes whose product overflows', () => fileOf({ x: entry([2 ** 24, 2 ** 24, 2 ** 24, 2 ** 24], 0, 4) }, 4)],
    ['a shape larger than its bytes', () => fileOf({ x: entry([3], 0, 8) }, 8)],
    ['bytes past the end', () => fileOf({ x: entry([4], 0, 16) }, 8)],
    ['two tensors over the same bytes', () => fileOf({ x: entry([2], 0, 8), y: entry([2], 4, 12) }, 12)],
    ['the same range twice', () => fileOf({ x: entry([1], 0, 4), y: entry([1], 0, 4) }, 4)],
    ['a hole', () => fileOf({ x: entry([1], 0, 4), y: entry([1], 8, 12) }, 12)],
    ['bytes of no tensor', () => fileOf({ x: entry([1], 0, 4) }, 12)],
    [
      'a name given twice',
      () =>
        fileOf(
          '{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
          8,
        ),
    ],
    ['an unknown field', () => fileOf({ x: { ...entry([1], 0, 4), code: 'x' } }, 4)],
    ['metadata that is no text', () => fileOf({ __metadata__: { a: 1 }, x: entry([1], 0, 4) }, 4)],
    ['a tensor named __proto__ without shape', () => fileOf('{"__proto__":{"dtype":"F32"}}', 0)],
    [
      'thousands of tensors',
      () =>
        fileOf(
          Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`t${i}`, entry([1], 4 * i, 4 * i + 4)])),
          20_000,
        ),
    ],
  ])('refuses %s', (_, hostile) => {
    expect(() => readSafetensors(hostile(), 'weights.bin')).toThrow(refusal);
  });

  it('answers any damage of the header with tensors or a refusal, never another error', () => {
    const file = writeSafetensors(tensors);
    const damage = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(damage, fc.nat(file.length), (changes, length) => {
        const damaged = Buffer.from(file);
        for (const [at, byte] of changes) damaged[at] = byte;
        try {
          readSafetensors(damaged.subarray(0, length), 'weights.bin');
        } catch (error) {
          return error instanceof StpError && error.code === 'STP1302';
        }
        return true;
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
