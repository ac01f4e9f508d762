/**
 * The folder of an ensemble of verifiers: `ensemble.json`, the checkpoint that they were trained from, and one
 * checkpoint for each member. A member's reward for a target is β · log(π_member / π_reference), DPO's implicit reward
 * (arXiv 2305.18290, §4).
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { z } from 'zod';

const FILE = 'ensemble.json';
const name = z.string().regex(/^[a-z0-9-]+$/);

const ensembleSchema = z.strictObject({
  format: z.literal(1),
  beta: z.number().positive(),
  /** Names of subfolders. */
  reference: name,
  members: z.array(name).min(1).max(64),
  /** Number of pairs that the members were trained on. */
  pairs: z.int().nonnegative(),
});
export type EnsembleManifest = z.infer<typeof ensembleSchema>;

/** Throws STP1302 if there is no ensemble or it is damaged. */
export async function readEnsemble(directory: string): Promise<EnsembleManifest> {
  const path = join(directory, FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new StpError('STP1302', `${path} cannot be read`, 'Name a folder that `bin/stp verifier train` wrote.', {
      cause,
    });
  }
  try {
    return ensembleSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StpError('STP1302', `${path} is damaged`, 'Train the ensemble again.', { cause });
  }
}

/** Writes the manifest last, so that a folder with it is complete. */
export async function writeEnsemble(directory: string, manifest: EnsembleManifest): Promise<void> {
  const path = join(directory, FILE);
  await writeFile(`${path}.partial`, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(`${path}.partial`, path);
}
