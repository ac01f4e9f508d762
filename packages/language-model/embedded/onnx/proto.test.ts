/** The bytes of a model with every kind of message, as a writer of our own wrote them before `protobufjs` did. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { encodeModel, type GraphMessage } from './proto.ts';

const STEP: GraphMessage = {
  name: 'step',
  nodes: [{ operator: 'Identity', domain: '', inputs: ['a'], outputs: ['b'], attributes: {} }],
  initializers: [],
  inputs: [{ name: 'a', type: 'bool', shape: [] }],
  outputs: [{ name: 'b', type: 'int64', shape: [2] }],
};

it('are the same: loops, empty names and lists, numbers below and above a byte, dimensions without a size', () => {
  const loop = { operator: 'Loop', domain: '', inputs: ['', 'c'], outputs: ['d', ''], body: STEP };
  const product = { operator: 'FusedMatMul', domain: 'com.microsoft', inputs: ['x', 'y'], outputs: ['z'] };
  const bytes = encodeModel({
    name: 'all',
    nodes: [
      { ...loop, attributes: { axis: { int: -1 }, big: { int: 300 }, zero: { int: 0 } } },
      {
        ...product,
        attributes: {
          ...{ alpha: { float: 0.1 }, none: { float: 0 }, mode: { string: 'ß' }, empty: { string: '' } },
          ...{ perm: { ints: [0, -2, 1_000_000] }, no: { ints: [] } },
        },
      },
    ],
    initializers: [
      { name: 'w', type: 'float32', shape: [2, 1], data: new Float32Array([1.5, -2]) },
      { name: 'i', type: 'int64', shape: [1], data: new BigInt64Array([-5n]) },
      { name: 'none', type: 'int32', shape: [0], data: new Int32Array(0) },
    ],
    inputs: [{ name: 'x', type: 'float32', shape: ['batch', 0, 3] }],
    outputs: [{ name: 'z', type: 'float32', shape: ['batch', 'length'] }],
  });
  expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
    442,
    '1ad1a32ecc278f0ce28213ed5836a2e3d12e3e2a13b89e135636b7ca40f70c9c',
  ]);
});
