/**
 * The ids and texts in the fixture of added tokens are those that the Rust `tokenizers` give now. Installs them into `.cache` (some
 * 10 MB) where they are not there. `STP_WRITE_FIXTURES=1` writes the fixture. Costs some seconds.
 *
 * @module-tag slow
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADDED_TOKEN_TEXTS, addedTokenFiles, temporaryDirectory } from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { smallPython } from './small-environment.ts';

const runPython = await smallPython('tokenizers', 'ids of added tokens by the Rust tokenizers');
const fixture = join(import.meta.dirname, '../fixtures/model/added-tokens.json');

it.skipIf(runPython === null)('the Rust tokenizers give the ids and texts of the fixture', async () => {
  const directory = await temporaryDirectory();
  const made: object[] = [];
  for (const [name, file] of addedTokenFiles()) {
    const path = join(directory, 'tokenizer.json');
    await writeFile(path, JSON.stringify(file));
    const answer = (await runPython!('token_ids.py', { path, texts: ADDED_TOKEN_TEXTS })) as object;
    made.push({ name, ...answer });
  }
  if (process.env.STP_WRITE_FIXTURES === '1') {
    const lines = made.map((one) => JSON.stringify(one)).join(',\n');
    await writeFile(fixture, `[\n${lines}\n]\n`);
  }
  expect(JSON.parse(await readFile(fixture, 'utf8'))).toEqual(made);
});
