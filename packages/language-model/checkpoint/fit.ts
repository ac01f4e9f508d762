/** Tests whether tensors and a tokenizer match a model's shape: null, or the difference in words. */
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { type LlamaParts, llamaTensorShapes } from './llama-tensors.ts';
import type { Tensor } from './safetensors.ts';

export function tensorProblem(
  shape: ModelShape,
  tensors: ReadonlyMap<string, Tensor>,
  constants?: LlamaParts,
): string | null {
  const expected = llamaTensorShapes(shape, constants);
  for (const [name, dimensions] of expected) {
    const tensor = tensors.get(name);
    if (tensor === undefined) return `tensor ${name} is missing`;
    if (tensor.shape.join('×') !== dimensions.join('×')) {
      return `tensor ${name} is ${tensor.shape.join('×')}, the shape asks for ${dimensions.join('×')}`;
    }
    if (tensor.values.length !== dimensions.reduce((product, size) => product * size, 1)) {
      return `tensor ${name} has ${tensor.values.length} values`;
    }
    if (!allFinite(tensor.values)) return `tensor ${name} holds a value that is not finite`;
  }
  for (const name of tensors.keys()) if (!expected.has(name)) return `tensor ${name} is not part of the model`;
  return null;
}

function allFinite(values: Float32Array): boolean {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index])) return false;
  return true;
}

export function tokenizerProblem(shape: ModelShape, tokenizer: Tokenizer): string | null {
  if (tokenizer.size <= shape.vocabularySize) return null;
  return `the tokenizer has ${tokenizer.size} tokens, the model ${shape.vocabularySize}`;
}
