/** Models that are one GGUF file: makes the folder for one, and opens llama.cpp for it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { writeGgufModel } from '@stp/language-model';

export const isGguf = (name: string): boolean => /\.gguf$/iu.test(name) && !name.includes('://');

/** Makes the folder that is used instead of a checkpoint, below `downloads`. Throws STP1002 if the file is missing. */
export async function ggufFolder(path: string, downloads: string): Promise<string> {
  if (!(await stat(path).catch(() => null))?.isFile())
    throw new StpError('STP1002', `there is no file ${path}`, 'Give the path of a GGUF file.');
  const directory = join(downloads, 'gguf-model');
  await writeGgufModel(path, directory);
  return directory;
}
