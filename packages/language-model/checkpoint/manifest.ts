/**
 * `manifest.json` of a checkpoint: every other file with its size and SHA-256. Written last, so a folder without it
 * is incomplete.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';
export const WEIGHTS_FILE = 'model.safetensors';

/** The weights file of an adapter, which changes a whole model in another folder (peft's format). */
export const ADAPTER_FILE = 'adapter_model.safetensors';
export const ADAPTER_CONFIG_FILE = 'adapter_config.json';

/** Every file of a checkpoint that the embedded engine runs, except the manifest, in the manifest's order. */
export const CHECKPOINT_FILES = [
  'config.json',
  'generation_config.json',
  WEIGHTS_FILE,
  'tokenizer.json',
  'tokenizer_config.json',
  'training.json',
] as const;
export type CheckpointFile = (typeof CHECKPOINT_FILES)[number];

/** Further files of foreign models, which a training keeps. */
export const FOREIGN_FILES = ['chat_template.jinja', 'special_tokens_map.json'] as const;
/** Optional files that follow the others in a manifest. */
const FURTHER_FILES = [...FOREIGN_FILES, ADAPTER_CONFIG_FILE, ADAPTER_FILE] as const;
const ALL_FILES = [...CHECKPOINT_FILES, ...FURTHER_FILES] as const;
export type AnyFile = (typeof ALL_FILES)[number];

/** 80 bits, as in `contentId`. */
export const MODEL_HEX_DIGITS = 20;

export const manifestSchema = z
  .strictObject({
    format: z.literal('stp-checkpoint/1'),
    /** First 20 hex digits of the SHA-256 of the weights: the model's name in records. */
    model: z.string().regex(/^[0-9a-f]{20}$/),
    files: z
      .array(
        z.strictObject({
          name: z.enum(ALL_FILES),
          bytes: z.int().nonnegative(),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .max(ALL_FILES.length),
  })
  .refine(({ files }) => isComplete(files.map(({ name }) => name)), 'files are missing or out of order')
  .refine(({ files, model }) => modelOf(files) === model, 'model is not the hash of the weights');
export type CheckpointManifest = z.infer<typeof manifestSchema>;

export function manifestOf(contents: Readonly<Partial<Record<AnyFile, Buffer>>>): CheckpointManifest {
  const files = ALL_FILES.flatMap((name) => {
    const content = contents[name];
    return content === undefined ? [] : [{ name, bytes: content.length, sha256: sha256Hex(content) }];
  });
  return { format: 'stp-checkpoint/1', model: modelOf(files), files };
}

export function sha256Hex(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function modelOf(files: readonly { name: string; sha256: string }[]): string {
  const weights = files.find(({ name }) => name === WEIGHTS_FILE || name === ADAPTER_FILE);
  return weights?.sha256.slice(0, MODEL_HEX_DIGITS) ?? '';
}

/** Returns whether the files are in order, without gaps, and with either whole weights or an adapter. */
function isComplete(names: readonly AnyFile[]): boolean {
  const has = new Set(names);
  const isAdapter = has.has(ADAPTER_FILE);
  const needed = CHECKPOINT_FILES.filter((name) => !isAdapter || name !== WEIGHTS_FILE);
  const inOrder = ALL_FILES.filter((name) => has.has(name));
  return (
    needed.every((name) => has.has(name)) &&
    inOrder.every((name, index) => name === names[index]) &&
    inOrder.length === names.length &&
    isAdapter === has.has(ADAPTER_CONFIG_FILE) &&
    isAdapter !== has.has(WEIGHTS_FILE)
  );
}
