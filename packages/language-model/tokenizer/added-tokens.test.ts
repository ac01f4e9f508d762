/**
 * Added tokens that take the white space beside them or are looked for in normalised text, and words that are tokens as a whole, give the
 * ids and texts of the Rust `tokenizers`, which `test/python/tokenizer.slow.ts` wrote down. Costs a second.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ADDED_TOKEN_TEXTS, addedTokenFiles } from '../testing/added-tokens.ts';
import { readTokenizer } from './tokenizer-file.ts';

interface Given {
  readonly name: string;
  readonly encoded: readonly (readonly number[])[];
  readonly decoded: readonly string[];
}

const path = join(import.meta.dirname, '../../../test/fixtures/model/added-tokens.json');
const fixture = JSON.parse(readFileSync(path, 'utf8')) as Given[];
const files = addedTokenFiles();
const read = (name: string, file: object) =>
  readTokenizer(JSON.stringify(file), name, () => ({ endIds: [0], padId: null }));

it('covers each variant', () => {
  expect(fixture.map(({ name }) => name)).toEqual([...files.keys()]);
});

it.each(fixture)('$name give the ids and texts of `tokenizers`', ({ name, encoded, decoded }) => {
  const tokenizer = read(name, files.get(name)!);
  for (const [index, text] of ADDED_TOKEN_TEXTS.entries()) {
    expect(tokenizer.encodePrompt(text), JSON.stringify(text)).toEqual(encoded[index]);
    expect(tokenizer.decode(encoded[index]!), JSON.stringify(text)).toBe(decoded[index]);
  }
});

it.each([true, false])(
  'a token of normalised text that the normalizer changes is refused in one sentence',
  (special) => {
    const file = files.get('llama, plain tokens')!;
    const added = file.added_tokens.map((one) => ({
      ...one,
      normalized: 'content' in one && one.content === '<l>',
      special,
    }));
    expect(() => read('llama', { ...file, added_tokens: added })).toThrow(
      expect.objectContaining({
        code: 'STP1302',
        message: expect.stringMatching(/the added token "<l>" is looked for in normalised text, where it is "▁<l>"/),
      }),
    );
  },
);
