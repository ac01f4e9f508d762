/**
 * Tests that tokenizers of foreign models give the ids and texts of the Rust `tokenizers`, which
 * `test/python/make_tokenizer_fixtures.py` recorded. Costs a second.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { readTokenizer } from './tokenizer-file.ts';

interface Fixture {
  readonly name: string;
  readonly file: { readonly added_tokens: object[]; readonly model: object };
  readonly encoded: readonly (readonly number[])[];
  readonly decoded: readonly string[];
}

const path = join(import.meta.dirname, '../../../test/fixtures/model/tokenizers.json');
const { texts, tokenizers } = JSON.parse(await readFile(path, 'utf8')) as {
  texts: readonly string[];
  tokenizers: readonly Fixture[];
};

const read = ({ name, file }: Fixture) =>
  readTokenizer(JSON.stringify(file), name, () => ({ endIds: [0], padId: null }));

describe.each(tokenizers)('the tokenizer of $name', (fixture) => {
  const tokenizer = read(fixture);

  it('reads every text as `tokenizers` does', () => {
    for (const [index, text] of texts.entries())
      expect(tokenizer.encodePrompt(text), JSON.stringify(text)).toEqual(fixture.encoded[index]);
  });

  it('writes them as `tokenizers` does, token by token as well', () => {
    for (const [index, ids] of fixture.encoded.entries()) {
      const whole = tokenizer.decode(ids);
      expect(whole, JSON.stringify(texts[index])).toBe(fixture.decoded[index]);
      const streamed = new TextDecoder('utf-8', { ignoreBOM: true });
      const pieces = ids.map((id) => streamed.decode(tokenizer.bytesOf(id), { stream: true })).join('');
      expect([whole, ` ${whole}`]).toContain(pieces + streamed.decode());
    }
  });
});

it('reads some of these texts otherwise where the library is used as it is', () => {
  const smollm = tokenizers.find(({ name }) => name === 'smollm')!;
  const library = new Library(smollm.file, {});
  const wrong = texts.filter((text, at) => text !== '' && `${library.encode(text).ids}` !== `${smollm.encoded[at]}`);
  expect(wrong.length).toBeGreaterThan(0);
});
