/** The Python `tokenizers` package reads our file and gives the same ids and texts. Costs a second where it is installed. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAN_TEXTS, temporaryDirectory, trainTokenizer, writeTokenizer } from '@stp/language-model/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runPython, skipsPython } from './python.ts';

it.skipIf(skipsPython('tokenizers'))('agrees with the Python package on Lean and on arbitrary text', async () => {
  const tokenizer = trainTokenizer(LEAN_TEXTS, { vocabularySize: 340 });
  const path = join(await temporaryDirectory(), 'tokenizer.json');
  await writeFile(path, writeTokenizer(tokenizer));
  const arbitrary = fc.sample(fc.string({ unit: 'grapheme', maxLength: 60 }), { numRuns: 300, seed: 1 });
  const binary = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), { numRuns: 300, seed: 2 });
  const texts = [
    ...LEAN_TEXTS,
    ...arbitrary,
    ...binary.map((raw) => raw.toWellFormed()),
    '<prove>a<by>b<end><pad>',
    '  \n\n \t\r\n x',
    `${'a'.repeat(99)}'${'('.repeat(99)}${'\n'.padEnd(99)}x${'.'.repeat(40)}`,
  ];
  const answer = (await runPython('token_ids.py', { path, texts })) as { encoded: number[][]; decoded: string[] };
  expect(answer.encoded).toEqual(texts.map((text) => tokenizer.encode(text)));
  expect(answer.decoded).toEqual(texts);
});
