/** Names of the forms in which models are written for llama.cpp, and models that are refused. Under a second. */
import { describe, expect, it } from 'vitest';
import { OWN_CONSTANTS } from '../checkpoint/llama-tensors.ts';
import { smallCheckpoint } from '../testing/small-checkpoint.ts';
import { modelGguf } from './model-gguf.ts';

const checkpoint = smallCheckpoint();
const written = (constants: object) =>
  modelGguf({ ...checkpoint, constants: { ...OWN_CONSTANTS, ...constants } }, '/models/one');

describe('a model for llama.cpp', () => {
  it.each([
    ['llama', {}],
    ['qwen2', { biases: ['query', 'key', 'value'] }],
    ['qwen3', { headNorms: true }],
  ])('is a %s', (name, constants) => {
    const { fields } = written(constants);
    expect(fields).toMatchObject({ 'general.architecture': name, [`${name}.block_count`]: 2 });
  });

  it.each([
    ['biases of the output', { biases: ['query', 'key', 'value', 'output'] }, /biases of query,key,value,output/],
    ['norms and biases', { headNorms: true, biases: ['query', 'key', 'value'] }, /norms of heads and biases/],
    ['YaRN', { ropeScaling: { kind: 'yarn' } }, /positions scaled by yarn/],
    ['the scaling of Llama 3', { ropeScaling: { kind: 'llama3' } }, /positions scaled by llama3/],
  ])('with %s is refused in one sentence', (_, constants, message) => {
    expect(() => written(constants)).toThrow(
      expect.objectContaining({ code: 'STP1302', message: expect.stringMatching(message) }),
    );
  });
});
