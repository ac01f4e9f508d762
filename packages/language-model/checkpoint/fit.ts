/** Tests whether tensors and a tokenizer match a model's shape. Returns null, or the difference in words. */
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { type LlamaParts, llamaTensorShapes } from './llama-tensors.ts';
import type { Tensor } from './safetensors.ts';

export function tensorProblem(
  shape: ModelShape,
  tensors: ReadonlyMap<string, Tensor>,
  constants?: LlamaParts,
): string | null {
  const shapes = new Map(Array.from(tensors, ([name, tensor]) => [name, tensor.shape]));
  const problem = shapeProblem(shape, shapes, constants);
  if (problem !== null) return problem;
  const expected = llamaTensorShapes(shape, constants);
  for (const [name, dimensions] of expected) {
    const tensor = tensors.get(name)!;
    if (tensor.values.length !== dimensions.reduce((product, size) => product * size, 1)) {
      return `tensor ${name} has ${tensor.values.length} values`;
    }
    if (!allFinite(tensor.values)) return `tensor ${name} holds a value that is not finite`;
  }
  return null;
}

/** The same test, from the tensors' names and shapes alone. */
export function shapeProblem(
  shape: ModelShape,
  shapes: ReadonlyMap<string, readonly number[]>,
  constants?: LlamaParts,
): string | null {
  const expected = llamaTensorShapes(shape, constants);
  for (const [name, dimensions] of expected) {
    const found = shapes.get(name);
    if (found === undefined) return `tensor ${name} is missing`;
    if (found.join('×') !== dimensions.join('×'))
      return `tensor ${name} is ${found.join('×')}, the shape asks for ${dimensions.join('×')}`;
  }
  for (const name of shapes.keys()) if (!expected.has(name)) return `tensor ${name} is not part of the model`;
  return null;
}

function allFinite(values: Float32Array): boolean {
  for (let index = 0; index < values.length; index++) if (!Number.isFinite(values[index])) return false;
  return true;
}

/**
 * @param isForeign whether others made the model. Its rows may be padded; fewer than half as many tokens mean a wrong
 * tokenizer
 */
export function tokenizerProblem(shape: ModelShape, tokenizer: Tokenizer, isForeign = false): string | null {
  const fewest = isForeign ? shape.vocabularySize / 2 : 0;
  if (tokenizer.size <= shape.vocabularySize && tokenizer.size >= fewest) return null;
  return `the tokenizer has ${tokenizer.size} tokens, the model ${shape.vocabularySize}`;
}
