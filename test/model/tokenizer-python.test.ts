/** The Python `tokenizers` package reads our file and gives the same ids and texts. Skips, saying so, where it is absent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeTokenizer } from '../../model/tokenizer/tokenizer-file.ts';
import { trainTokenizer } from '../../model/tokenizer/train.ts';
import { LEAN_TEXTS, temporaryDirectory } from './small-checkpoint.ts';

const python = process.env.STP_PYTHON ?? 'python3';
const isThere = spawnSync(python, ['-c', 'import tokenizers']).status === 0;
if (!isThere) console.log(`skipped: ${python} has no package "tokenizers" (set STP_PYTHON to one that has)`);

const PROGRAM = `
import json, sys
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
texts = json.load(sys.stdin)
encoded = [tokenizer.encode(text).ids for text in texts]
decoded = [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded]
json.dump({"encoded": encoded, "decoded": decoded}, sys.stdout)
`;

it.skipIf(!isThere)('agrees with the Python package on Lean and on arbitrary text', async () => {
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
  const answer = JSON.parse(
    execFileSync(python, ['-c', PROGRAM, path], { input: JSON.stringify(texts), encoding: 'utf8' }),
  );
  expect(answer.encoded).toEqual(texts.map((text) => tokenizer.encode(text)));
  expect(answer.decoded).toEqual(texts);
});
