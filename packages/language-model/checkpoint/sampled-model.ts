/** Reads the model in a folder for sampling: a checkpoint of our own, or a Llama from elsewhere. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { readCheckpoint } from './checkpoint.ts';
import { type LlamaFolder, readLlamaFolder } from './llama-folder.ts';
import { RMS_EPSILON, ROPE_THETA } from './llama-tensors.ts';
import { type CheckpointFile, MANIFEST_FILE } from './manifest.ts';

/** Only our checkpoints have one: a folder with it and without a manifest was cut short. */
const TRAINING_FILE: CheckpointFile = 'training.json';

/** Throws STP1302 where the folder cannot be trusted. */
export async function readModel(directory: string): Promise<LlamaFolder> {
  const isOurs = (await isThere(join(directory, MANIFEST_FILE))) || (await isThere(join(directory, TRAINING_FILE)));
  if (!isOurs) return readLlamaFolder(directory);
  const { shape, tensors, tokenizer, proofWords, manifest } = await readCheckpoint(directory);
  const constants = { rmsEpsilon: RMS_EPSILON, ropeTheta: ROPE_THETA };
  return { shape, tensors, tokenizer, proofWords, constants, model: manifest.model };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
