/**
 * A folder for a model that is one GGUF file, used instead of a checkpoint: `gguf.json` has the file's path on the node
 * and its hash. The file is not copied. llama.cpp can sample and evaluate it; it cannot be trained.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StpError } from '@stp/base';
import { z } from 'zod';
import type { TemplateData } from '../chat/template-messages.ts';
import { parseJson } from '../checkpoint/files.ts';
import { MODEL_HEX_DIGITS } from '../checkpoint/manifest.ts';
import { foreign } from '../damaged.ts';
import { type GgufFile, readGguf, textIn } from '../gguf/gguf-file.ts';

const GGUF_FILE = 'gguf.json';

const ggufModelSchema = z.strictObject({
  format: z.literal('stp-gguf-model/1'),
  /** Path on the sampling node. */
  path: z.string().min(1).max(4_096),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  /** Modification time when the file was hashed. While it is unchanged the file is not hashed again. */
  modifiedMs: z.number().nonnegative(),
});
export type GgufModelFile = z.infer<typeof ggufModelSchema>;

/** Returns the model's name in records. */
export const ggufModelName = ({ sha256 }: Pick<GgufModelFile, 'sha256'>): string => sha256.slice(0, MODEL_HEX_DIGITS);

/** Makes the folder of a file. Throws STP1302 if the file is no GGUF, or a part of a split one. */
export async function writeGgufModel(path: string, directory: string): Promise<void> {
  const gguf = await readGguf(path);
  const parts = gguf.metadata.get('split.count');
  if (typeof parts === 'number' && parts > 1)
    throw foreign(path, `one of ${parts} parts of a model; join them with llama.cpp's llama-gguf-split --merge`);
  const { size: bytes, mtimeMs: modifiedMs } = await stat(path);
  const model = { path: resolve(path), sha256: await digestOf(path), bytes, modifiedMs };
  const checked = ggufModelSchema.parse({ format: 'stp-gguf-model/1', ...model });
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, GGUF_FILE), `${JSON.stringify(checked, null, 2)}\n`);
}

/** Returns null if the folder is no such model. Throws STP1302 if its file is damaged. */
export async function readGgufModel(directory: string): Promise<GgufModelFile | null> {
  const path = join(directory, GGUF_FILE);
  const content = await readFile(path).catch(() => null);
  return content === null ? null : parseJson(content, path, (json) => ggufModelSchema.parse(json));
}

/** Throws STP1302 if the file is missing on this machine, STP1204 if its hash differs. */
export async function requireSameFile({ path, sha256, bytes, modifiedMs }: GgufModelFile): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile())
    throw new StpError(
      'STP1302',
      `${path} is not on this machine`,
      `Copy ${basename(path)} (SHA-256 ${sha256.slice(0, 16)}…) there, or evaluate it where it is.`,
    );
  if (found.size === bytes && found.mtimeMs === modifiedMs) return;
  if (found.size === bytes && (await digestOf(path)) === sha256) return;
  throw new StpError(
    'STP1204',
    `${path} has another hash than the file that this evaluation began with (${sha256.slice(0, 16)}…)`,
    'Put the first file back, or evaluate the new one under another name.',
  );
}

/** Returns the file's chat template, or null. */
export function ggufTemplate({ metadata }: Pick<GgufFile, 'metadata'>): TemplateData | null {
  const source = textIn(metadata, 'tokenizer.chat_template');
  if (source === null) return null;
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const tokenOf = (mark: string): string => {
    const id = metadata.get(`tokenizer.ggml.${mark}_token_id`);
    const token = Array.isArray(tokens) && typeof id === 'number' ? tokens[id] : undefined;
    return typeof token === 'string' ? token : '';
  };
  return { source, names: { bos_token: tokenOf('bos'), eos_token: tokenOf('eos') } };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}
