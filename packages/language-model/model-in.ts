/** The name in records of the model in a folder. */
import { join } from 'node:path';
import { readManifest } from './checkpoint/checkpoint.ts';
import { isThere } from './checkpoint/files.ts';
import { MANIFEST_FILE } from './checkpoint/manifest.ts';
import { modelName } from './checkpoint/model-folder.ts';
import { readServedModel, servedModelId } from './checkpoint/served-model.ts';
import { ggufModelName, readGgufModel } from './llama-cpp/gguf-model.ts';

/** Returns the name of a checkpoint, a foreign model, a server's model, or a GGUF. Throws STP1302. */
export async function modelIn(directory: string): Promise<string> {
  const served = await readServedModel(directory);
  if (served !== null) return servedModelId(served.name);
  const gguf = await readGgufModel(directory);
  if (gguf !== null) return ggufModelName(gguf);
  return (await isThere(join(directory, MANIFEST_FILE))) ? (await readManifest(directory)).model : modelName(directory);
}
