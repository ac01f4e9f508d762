/** `manifest.json` of a checkpoint: every other file with its size and SHA-256. Written last: a folder without it is not a checkpoint. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

export const MANIFEST_FILE = 'manifest.json';
export const WEIGHTS_FILE = 'model.safetensors';

/** Every file of a checkpoint but the manifest, in the manifest's order. */
export const CHECKPOINT_FILES = [
  'config.json',
  'generation_config.json',
  WEIGHTS_FILE,
  'tokenizer.json',
  'tokenizer_config.json',
  'training.json',
] as const;
export type CheckpointFile = (typeof CHECKPOINT_FILES)[number];

/** As `contentId`: 80 bits. */
export const MODEL_HEX_DIGITS = 20;

export const manifestSchema = z
  .strictObject({
    format: z.literal('stp-checkpoint/1'),
    /** First 20 hex digits of the SHA-256 of the weights: the model's name in records. */
    model: z.string().regex(/^[0-9a-f]{20}$/),
    files: z
      .array(
        z.strictObject({
          name: z.enum(CHECKPOINT_FILES),
          bytes: z.int().nonnegative(),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .length(CHECKPOINT_FILES.length),
  })
  .refine(({ files }) => files.every(({ name }, index) => name === CHECKPOINT_FILES[index]), 'files are out of order')
  .refine(({ files, model }) => modelOf(files) === model, 'model is not the hash of the weights');
export type CheckpointManifest = z.infer<typeof manifestSchema>;

export function manifestOf(contents: Readonly<Record<CheckpointFile, Buffer>>): CheckpointManifest {
  const files = CHECKPOINT_FILES.map((name) => ({
    name,
    bytes: contents[name].length,
    sha256: sha256Hex(contents[name]),
  }));
  return { format: 'stp-checkpoint/1', model: modelOf(files), files };
}

export function sha256Hex(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function modelOf(files: readonly { name: string; sha256: string }[]): string {
  return files.find(({ name }) => name === WEIGHTS_FILE)?.sha256.slice(0, MODEL_HEX_DIGITS) ?? '';
}
