/** Models that are one GGUF file: the folder that stands for one, and llama.cpp that samples it. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { writeGgufModel } from '@stp/language-model';

export const isGguf = (name: string): boolean => /\.gguf$/iu.test(name) && !name.includes('://');

/** The folder in a checkpoint's place, below `downloads`. STP1002 where there is no such file. */
export async function ggufFolder(path: string, downloads: string): Promise<string> {
  if (!(await stat(path).catch(() => null))?.isFile())
    throw new StpError('STP1002', `there is no file ${path}`, 'Give the path of a GGUF file.');
  const directory = join(downloads, 'gguf-model');
  await writeGgufModel(path, directory);
  return directory;
}
