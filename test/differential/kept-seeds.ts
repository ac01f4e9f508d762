/**
 * Texts that once were judged wrongly, or in an interesting way. The texts are kept with their seeds, because a seed
 * gives another text when the generator changes. They are tried before all others.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RandomFile } from './random-file.ts';
import type { RandomProof } from './random-proof.ts';

const keptSchema = z.strictObject({
  proofs: z.array(
    z.strictObject({
      why: z.string(),
      seed: z.number(),
      signature: z.string(),
      isTrue: z.boolean(),
      text: z.string(),
    }),
  ),
  files: z.array(
    z.strictObject({
      why: z.string(),
      seed: z.number(),
      text: z.string(),
      facts: z.array(z.strictObject({ name: z.string(), isSound: z.boolean(), isListed: z.boolean() })),
    }),
  ),
});

const kept = keptSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'kept-seeds.json'), 'utf8')));

export const KEPT_PROOFS: readonly RandomProof[] = kept.proofs;
export const KEPT_FILES: readonly RandomFile[] = kept.files;
