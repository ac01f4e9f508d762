/**
 * STP's dataset configuration: a JSON array of `{dataset_path, weight[, label]}` that mixes dataset files
 * (docs/algorithm.md, section 12). Each file becomes a problem set with that matching weight. Neither STP nor this
 * project uses `label`.
 */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { unreadable } from '@stp/base/files';
import { z } from 'zod';
import { SET_NAME } from './folder.ts';

/** Maximum number of entries; STP's own files have at most three. */
const ENTRIES_MAX = 64;
const CONFIG_BYTES_MAX = 65_536;

const configSchema = z
  .array(z.looseObject({ dataset_path: z.string().min(1).max(1_024), weight: z.number().positive().default(1) }))
  .min(1)
  .max(ENTRIES_MAX);

export interface MixedDataset {
  /** Name of the set: the file's, in lower case with hyphens. */
  readonly name: string;
  readonly path: string;
  readonly weight: number;
}

/**
 * Returns the datasets of a configuration, with paths relative to `root` (in STP, the checkout's folder). Throws
 * STP1501, also if a file name gives no valid set name; STP1405.
 */
export async function readStpConfig(path: string, root: string): Promise<readonly MixedDataset[]> {
  let content: unknown;
  try {
    const { size } = await stat(path);
    if (size > CONFIG_BYTES_MAX) throw new RangeError(`${size} bytes are more than ${CONFIG_BYTES_MAX}`);
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) throw invalid(path, cause.message);
    throw unreadable(path, cause);
  }
  const parsed = configSchema.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw invalid(path, `${issue.path.join('.') || 'value'}: ${issue.message}`);
  }
  const sets = parsed.data.map(({ dataset_path, weight }) => ({
    name: setName(dataset_path),
    path: resolve(root, dataset_path),
    weight,
  }));
  const nameless = sets.find(({ name }) => !SET_NAME.test(name));
  if (nameless !== undefined)
    throw new StpError(
      'STP1501',
      `${path}: ${basename(nameless.path)} gives no name of a set (1 to 64 small letters, digits and hyphens)`,
      'Rename that file.',
      { facts: { path } },
    );
  const repeated = sets.find(({ name }, index) => sets.findIndex((other) => other.name === name) !== index);
  if (repeated !== undefined) throw invalid(path, `two datasets would be named ${repeated.name}`);
  return sets;
}

function setName(path: string): string {
  return basename(path, extname(path))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function invalid(path: string, problem: string): StpError {
  return new StpError('STP1501', `${path}: ${problem}`, 'It must be a JSON array of {dataset_path, weight}.', {
    facts: { path },
  });
}
