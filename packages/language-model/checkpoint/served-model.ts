/**
 * A model whose weights only a server has, as a folder in a checkpoint's place: `served.json` with the name under which
 * servers list it. It can be sampled and evaluated, not trained.
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
  /** As servers list it. */
  name: z.string().min(1).max(1_024),
  /** Prompt and answer together, tokens; servers that say less are believed. */
  contextLength: positive.max(2 ** 24),
  /** Length of an embedding; where nothing is embedded, any. */
  hiddenSize: positive,
  vocabularySize: positive,
});
type ServedModel = z.infer<typeof servedModelSchema>;

/** The model's name in records: its hash would need its weights, so it is that of its name. */
export function servedModelId(name: string): string {
  return createHash('sha256').update(`served ${name}`).digest('hex').slice(0, MODEL_HEX_DIGITS);
}

export async function writeServedModel(directory: string, model: Omit<ServedModel, 'format'>): Promise<void> {
  await mkdir(directory, { recursive: true });
  const checked = servedModelSchema.parse({ format: 'stp-served-model/1', ...model });
  await writeFile(join(directory, SERVED_FILE), `${JSON.stringify(checked, null, 2)}\n`);
}

/** Null where the folder is no such model. Throws STP1302 where its file is damaged. */
export async function readServedModel(directory: string): Promise<ServedModel | null> {
  const path = join(directory, SERVED_FILE);
  const content = await readFile(path).catch(() => null);
  return content === null ? null : parseJson(content, path, (json) => servedModelSchema.parse(json));
}
