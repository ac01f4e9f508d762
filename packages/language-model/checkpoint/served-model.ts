/**
 * A model whose weights only a server has. Its folder holds `served.json`, with the name under which servers list it,
 * instead of a checkpoint. It can be sampled and evaluated, but not trained.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from './files.ts';
import { MODEL_HEX_DIGITS } from './manifest.ts';

const SERVED_FILE = 'served.json';
const positive = z.int().positive();

const servedModelSchema = z.strictObject({
  format: z.literal('stp-served-model/1'),
  /** The name under which servers list it. */
  name: z.string().min(1).max(1_024),
  /** Prompt and answer together, tokens. A smaller limit that a server reports wins. */
  contextLength: positive.max(2 ** 24),
  /** Length of an embedding; any number if nothing is embedded. */
  hiddenSize: positive,
  vocabularySize: positive,
});
type ServedModel = z.infer<typeof servedModelSchema>;

/** Returns the model's name in records: a hash of its name, because its weights are not available. */
export function servedModelId(name: string): string {
  return createHash('sha256').update(`served ${name}`).digest('hex').slice(0, MODEL_HEX_DIGITS);
}

export async function writeServedModel(directory: string, model: Omit<ServedModel, 'format'>): Promise<void> {
  await mkdir(directory, { recursive: true });
  const checked = servedModelSchema.parse({ format: 'stp-served-model/1', ...model });
  await writeFile(join(directory, SERVED_FILE), `${JSON.stringify(checked, null, 2)}\n`);
}

/** Returns null if the folder is no served model. Throws STP1302 if its file is damaged. */
export async function readServedModel(directory: string): Promise<ServedModel | null> {
  const path = join(directory, SERVED_FILE);
  const content = await readFile(path).catch(() => null);
  return content === null ? null : parseJson(content, path, (json) => servedModelSchema.parse(json));
}
