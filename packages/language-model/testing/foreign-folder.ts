/** Folders of other people's models with small random weights, as `save_pretrained` writes them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { architectureOf } from '../checkpoint/architecture.ts';
import { llamaTensorShapes } from '../checkpoint/llama-tensors.ts';
import { writeSafetensors } from '../checkpoint/safetensors.ts';
import { normalGenerator } from '../embedded/training/random.ts';

/** Deviation of a matrix's outputs from normal inputs: a distribution that is neither flat nor certain. */
const GAIN = 0.7;
/** Deviation of biases and of the norms' gains from one, so that a forgotten one shows. */
const VECTOR_DEVIATION = 0.4;

/** Writes weights for a `config.json`, and both into a new folder beside the other files. */
export async function writeForeignFolder(
  directory: string,
  config: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { shape, constants } = architectureOf(config);
  const normal = normalGenerator(4);
  const tensors = Array.from(llamaTensorShapes(shape, constants), ([name, dimensions]) => {
    const values = new Float32Array(dimensions.reduce((product, size) => product * size, 1));
    const [, fanIn] = dimensions;
    const deviation = fanIn === undefined ? VECTOR_DEVIATION : GAIN / Math.sqrt(fanIn);
    const mean = fanIn === undefined && !name.endsWith('.bias') ? 1 : 0;
    return [name, { shape: dimensions, values: values.map(() => mean + deviation * normal()) }] as const;
  });
  await mkdir(directory);
  await writeFile(join(directory, 'model.safetensors'), writeSafetensors(new Map(tensors)));
  await writeFile(join(directory, 'config.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
}
