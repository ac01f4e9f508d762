/**
 * The Python `tokenizers` package (Rust) against ours: it reads our file and gives the same ids and texts, and we read its files
 * and give the same. Installs it into `.cache` (some 10 MB) where it is not there. `STP_WRITE_FIXTURES=1` writes the
 * fixture of added tokens. Costs some twenty seconds.
 *
 * @module-tag slow
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ADDED_TOKEN_TEXTS,
  addedTokenFiles,
  LEAN_TEXTS,
  readTokenizer,
  temporaryDirectory,
  trainTokenizer,
  writeTokenizer,
} from '@stp/language-model/testing';
import { describe, expect, it } from 'vitest';
import { smollm2Folder } from '../support/smollm2.ts';
import { leanLines, ODD_TEXTS, randomTexts } from '../support/tokenizer-texts.ts';
import { smallPython } from './small-environment.ts';

const runPython = await smallPython('tokenizers', 'tokenizers');
const skipped = runPython === null;
const smollm2 = skipped ? null : await smollm2Folder('ids of SmolLM2 on 10,000 texts');

interface Made {
  readonly name: string;
  readonly file: object;
  readonly encoded: readonly (readonly number[])[];
  readonly decoded: readonly string[];
}

it.skipIf(skipped)('agrees with the Python package on Lean and on arbitrary text', async () => {
  const tokenizer = trainTokenizer(LEAN_TEXTS, { vocabularySize: 340 });
  const path = join(await temporaryDirectory(), 'tokenizer.json');
  await writeFile(path, writeTokenizer(tokenizer));
  const texts = [
    ...LEAN_TEXTS,
    ...randomTexts(600, 1),
    '<prove>a<by>b<end><pad>',
    '  \n\n \t\r\n x',
    `${'a'.repeat(99)}'${'('.repeat(99)}${'\n'.padEnd(99)}x${'.'.repeat(40)}`,
  ];
  const answer = (await runPython!('token_ids.py', { path, texts })) as Pick<Made, 'encoded' | 'decoded'>;
  expect(answer.encoded).toEqual(texts.map((text) => tokenizer.encode(text)));
  expect(answer.decoded).toEqual(texts);
});

describe.skipIf(skipped)('tokenizers as open models have them', () => {
  it('are in the fixture of the fast test with the ids that the package gives now', async () => {
    const fixture = join(import.meta.dirname, '../fixtures/model/tokenizers.json');
    const { texts, tokenizers } = JSON.parse(await readFile(fixture, 'utf8')) as {
      texts: string[];
      tokenizers: Made[];
    };
    expect(tokenizers).toHaveLength(4);
    const directory = await temporaryDirectory();
    for (const { name, file, encoded, decoded } of tokenizers) {
      const path = join(directory, `${name}.json`);
      await writeFile(path, JSON.stringify(file));
      expect(await runPython!('token_ids.py', { path, texts })).toEqual({ encoded, decoded });
    }
  });

  it('are in the fixture of added tokens with the ids that the package gives now', async () => {
    const fixture = join(import.meta.dirname, '../fixtures/model/added-tokens.json');
    const path = join(await temporaryDirectory(), 'tokenizer.json');
    const made: object[] = [];
    for (const [name, file] of addedTokenFiles()) {
      await writeFile(path, JSON.stringify(file));
      made.push({ name, ...((await runPython!('token_ids.py', { path, texts: ADDED_TOKEN_TEXTS })) as object) });
    }
    if (process.env.STP_WRITE_FIXTURES === '1')
      await writeFile(fixture, `[\n${made.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
    expect(JSON.parse(await readFile(fixture, 'utf8'))).toEqual(made);
  });

  it('give the ids and texts of the Python package on thousands of texts', async () => {
    const asked = [...leanLines(1_500), ...randomTexts(1_000, 7)];
    const made = (await runPython!('make_tokenizer_fixtures.py', { texts: leanLines(2_000), asked })) as Made[];
    expect(made).toHaveLength(4);
    for (const { name, file, encoded, decoded } of made) {
      const tokenizer = readTokenizer(JSON.stringify(file), name, () => ({ endIds: [0], padId: null }));
      const read = asked.map((text) => tokenizer.encodePrompt(text));
      const wrong = asked.filter((_, index) => `${read[index]}` !== `${encoded[index]}`);
      expect(wrong.slice(0, 3), name).toEqual([]);
      expect(read.map((ids) => tokenizer.decode(ids))).toEqual(decoded);
    }
  });
});

it.skipIf(smollm2 === null)(
  'the tokenizer of SmolLM2 gives the ids of the Python package on 10,000 texts',
  async () => {
    const { tokenizer } = smollm2!;
    const texts = [...ODD_TEXTS, ...leanLines(6_000), ...randomTexts(4_000, 21)];
    expect(texts.length).toBeGreaterThanOrEqual(10_000);
    const path = join(smollm2!.directory, 'tokenizer.json');
    const answer = (await runPython!('token_ids.py', { path, texts })) as Pick<Made, 'encoded' | 'decoded'>;
    const read = texts.map((text) => tokenizer.encodePrompt(text));
    expect(texts.filter((_, index) => `${read[index]}` !== `${answer.encoded[index]}`).slice(0, 3)).toEqual([]);
    expect(read.map((ids) => tokenizer.decode(ids))).toEqual(answer.decoded);
  },
);
