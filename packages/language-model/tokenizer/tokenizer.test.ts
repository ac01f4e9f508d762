/** The byte-level tokenizer: nothing is lost, pieces are what Lean wants, files are checked. Costs about a second. */

import { StpError } from '@stp/base';
import { PROMPT_MARKERS } from '@stp/config/words';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEAN_TEXTS } from '../testing/small-checkpoint.ts';
import { ownTokenizer } from './own-tokenizer.ts';
import { readTokenizer, writeTokenizer } from './tokenizer-file.ts';
import { trainTokenizer } from './train.ts';
import { splitWords } from './words.ts';

const tokenizer = trainTokenizer(LEAN_TEXTS, { vocabularySize: 340 });
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 80 }).map((raw) => raw.toWellFormed()),
  fc
    .array(fc.constantFrom(...LEAN_TEXTS, '<end>', '<pad>', '<by', '\n    ', '\t', '₁', "x'"))
    .map((parts) => parts.join('')),
);

describe('words', () => {
  it('cover every text', () => {
    fc.assert(
      fc.property(text, (sample) => splitWords(sample).join('') === sample),
      { seed: 1 },
    );
  });

  it('are short, however long a run is', () => {
    for (const run of ['a', '(', '.', ' ', '\n', '₁', '𝔸', '7', '\n'.padEnd(90)]) {
      const text = run.repeat(2_000);
      const words = splitWords(text);
      expect(words.join('')).toBe(text);
      expect(Math.max(...words.map((word) => [...word].length))).toBeLessThanOrEqual(50);
    }
  });

  it('keep indentation with its line, digits alone, and identifiers apart from symbols', () => {
    expect(splitWords("rw [Nat.add_comm h₁']\n  exact ⟨x, 42⟩")).toEqual([
      'rw',
      ' [',
      'Nat',
      '.add_comm',
      " h₁'",
      ']',
      '\n  ',
      'exact',
      ' ⟨',
      'x',
      ',',
      ' 4',
      '2',
      '⟩',
    ]);
  });
});

describe('tokenizer', () => {
  it('gives back every text', () => {
    fc.assert(
      fc.property(text, (sample) => tokenizer.decode(tokenizer.encode(sample)) === sample),
      { numRuns: 500, seed: 2 },
    );
  });

  it('takes special tokens whole, wherever they stand', () => {
    const ids = tokenizer.encode('<prove>x<by>y<end>');
    expect(ids.map((id) => tokenizer.vocabulary[id])).toEqual(['<prove>', 'x', '<by>', 'y', '<end>']);
    expect(ids.at(-1)).toBe(tokenizer.endId);
    expect(tokenizer.encode('<bye>').length).toBeGreaterThan(1);
  });

  it('merges what is frequent and nothing across words', () => {
    expect(tokenizer.size).toBeGreaterThan(256 + PROMPT_MARKERS.length + 2);
    expect(tokenizer.vocabulary).toContain('ĠNat');
    for (const id of tokenizer.vocabulary.keys()) {
      if (tokenizer.specialTokens.has(id)) continue;
      const merged = tokenizer.decode([id]);
      if (!merged.includes('\uFFFD')) expect(splitWords(merged)).toEqual([merged]);
    }
  });

  it('is the same whenever it is trained on the same texts', () => {
    expect(writeTokenizer(trainTokenizer(LEAN_TEXTS, { vocabularySize: 340 }))).toBe(writeTokenizer(tokenizer));
  });

  it('never grows past the vocabulary asked for, and stops where nothing repeats', () => {
    expect(trainTokenizer(LEAN_TEXTS, { vocabularySize: 270 }).size).toBe(270);
    expect(trainTokenizer(['abc'], { vocabularySize: 400 }).size).toBe(256 + 2 + PROMPT_MARKERS.length);
  });

  it('refuses a vocabulary without room for the bytes, and special tokens with spaces', () => {
    expect(() => trainTokenizer([], { vocabularySize: 100 })).toThrow(StpError);
    expect(() => trainTokenizer([], { vocabularySize: 300, specialTokens: ['< by>'] })).toThrow(StpError);
  });
});

describe('tokenizer.json', () => {
  it('reads back as written', () => {
    const read = readTokenizer(writeTokenizer(tokenizer), 'tokenizer.json');
    expect(read.vocabulary).toEqual(tokenizer.vocabulary);
    for (const sample of LEAN_TEXTS) expect(read.encode(sample)).toEqual(tokenizer.encode(sample));
  });

  const written = () => JSON.parse(writeTokenizer(tokenizer));
  const altered = (change: (file: ReturnType<typeof written>) => void) => {
    const file = written();
    change(file);
    return JSON.stringify(file);
  };
  const step = (type: string, fields = {}) => altered((file) => (file.pre_tokenizer = { type, ...fields }));
  it.each<[string, () => string]>([
    ['no JSON', () => '{"version":'],
    ['an array', () => '[]'],
    ['words as a model', () => altered((file) => (file.model.type = 'WordPiece'))],
    ['merges that are left out by chance', () => altered((file) => (file.model.dropout = 0.1))],
    ['an unknown step before the model', () => step('UnicodeScripts')],
    ['an unknown step within a sequence', () => step('Sequence', { pretokenizers: [{ type: 'Whitespace' }] })],
    [
      'a split that joins',
      () => step('Split', { pattern: { String: 'a' }, behavior: 'MergedWithNext', invert: false }),
    ],
    ['a split of no pattern', () => step('Split', { pattern: { Regex: '(' }, behavior: 'Isolated', invert: false })],
    [
      'an endless pattern',
      () => step('Split', { pattern: { Regex: 'a'.repeat(5_000) }, behavior: 'Isolated', invert: false }),
    ],
    ['an unknown normalizer', () => altered((file) => (file.normalizer = { type: 'Lowercase' }))],
    ['an unknown decoder', () => altered((file) => (file.decoder = { type: 'WordPiece' }))],
    ['no decoder', () => altered((file) => (file.decoder = null))],
    ['a decoder of no text', () => altered((file) => (file.decoder = { type: 'Fuse' }))],
    ['an unknown end', () => altered((file) => (file.post_processor = { type: 'BertProcessing' }))],
    ['a merge of three', () => altered((file) => (file.model.merges[0] = 'a b c'))],
    ['merges of two forms', () => altered((file) => file.model.merges.push(['a', 'b']))],
    ['an id that is taken', () => altered((file) => (file.model.vocab.a = file.model.vocab.b))],
    ['an id that is no number', () => altered((file) => (file.model.vocab.a = '5'))],
    ['an id beyond all vocabularies', () => altered((file) => (file.model.vocab.zzz = 1e12))],
    ['a vocabulary that is a list', () => altered((file) => (file.model.vocab = ['a']))],
    ['a special token with the id of another', () => altered((file) => (file.added_tokens[0].id = 100))],
    ['a token that is a whole word only', () => altered((file) => (file.added_tokens[0].single_word = true))],
    [
      'no end of text',
      () =>
        altered((file) => {
          file.added_tokens[1].content = '<stop>';
          delete file.model.vocab['<end>'];
        }),
    ],
    [
      'too many special tokens',
      () => altered((file) => (file.added_tokens = new Array(20_000).fill(file.added_tokens[0]))),
    ],
    ['a file without end', () => ' '.repeat(65 * 1024 * 1024)],
  ])('refuses %s', (_, hostile) => {
    expect(() => readTokenizer(hostile(), 'tokenizer.json')).toThrow(
      expect.objectContaining({
        name: 'StpError',
        code: 'STP1302',
        message: expect.stringContaining('tokenizer.json'),
      }),
    );
  });

  it('has one id for a token that two merges spell', () => {
    const twice = ownTokenizer(
      ['<pad>', '<end>'],
      [
        ['a', 'b'],
        ['b', 'c'],
        ['ab', 'c'],
        ['a', 'bc'],
      ],
    );
    expect(twice.size).toBe(2 + 256 + 3);
    expect(readTokenizer(writeTokenizer(twice), 'tokenizer.json').vocabulary).toEqual(twice.vocabulary);
  });
});
