/** References to stored bytes. Temporal payloads carry these references instead of statements and proofs. */
import { z } from 'zod';

/** CRC-32C of the bytes: base64 of the four big-endian bytes, as Google Cloud Storage writes it. */
export const crc32cSchema = z.string().regex(/^[A-Za-z0-9+/]{6}==$/);

export const artifactRefSchema = z.strictObject({
  /** `file:///…` or `gs://bucket/…`. */
  uri: z.string().min(1).max(4096),
  /**
   * Version of the object in its store, a decimal string (GCS has 64 bits). Objects are written once, so it never
   * changes.
   */
  generation: z.string().regex(/^\d{1,20}$/),
  crc32c: crc32cSchema,
  bytes: z.number().int().nonnegative(),
  /** Number of records if the object is a record file (JSON Lines), else 1. */
  count: z.number().int().nonnegative(),
});
export type ArtifactRef = z.infer<typeof artifactRefSchema>;

/** A checkpoint is a folder; its manifest (written last) names every file with its checksum. */
export const checkpointRefSchema = z.strictObject({
  manifest: artifactRefSchema,
  /** Content hash of the weights, short hex: the model's name in records and search attributes. */
  model: z.string().min(1).max(64),
});
export type CheckpointRef = z.infer<typeof checkpointRefSchema>;
