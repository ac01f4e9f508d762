/** A checkpoint for copying: all its files under a matching manifest, with bytes that are not weights. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKPOINT_FILES, type CheckpointFile, manifestOf } from '@stp/language-model/testing';

const FILE_BYTES = 10_000;

export async function smallCheckpointFolder(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const contents = Object.fromEntries(CHECKPOINT_FILES.map((name) => [name, randomBytes(FILE_BYTES)]));
  for (const [name, bytes] of Object.entries(contents)) await writeFile(join(directory, name), bytes);
  const manifest = manifestOf(contents as Record<CheckpointFile, Buffer>);
  await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest));
  return directory;
}
