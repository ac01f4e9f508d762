/**
 * Tests encoder-decoders without Python: beam search against all possible sequences, and a folder whose graphs our own
 * writer makes (a table of the byte that follows each byte). `test/python/encoder-decoder.process.test.ts` compares
 * exports of `optimum-cli` with transformers.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encoderDecoderEngine } from '@stp/editor';
import { EncoderDecoder } from '@stp/language-model';
import {
  beamSearch,
  byteIds,
  byteText,
  type GrowingRows,
  tinyEncoderDecoder,
  uniformAt,
} from '@stp/language-model/testing';
import { expect, it, onTestFinished } from 'vitest';

const END = 0;
const VOCABULARY = 4;
const LENGTH = 4;

/** Log-probabilities after a sequence, drawn by its tokens. */
function drawn(seed: number, ids: readonly number[]): Float32Array {
  const index = ids.reduce((sum, id) => sum * (VOCABULARY + 1) + id + 1, 0);
  const weights = Array.from({ length: VOCABULARY }, (_, id) => 0.05 + uniformAt(seed, VOCABULARY * index + id));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Float32Array.from(weights, (weight) => Math.log(weight / total));
}

function rowsOf(seed: number): GrowingRows {
  let rows: (readonly number[])[] = [[]];
  return {
    get next() {
      return rows.map((ids) => drawn(seed, ids));
    },
    async extend(parents, tokens) {
      rows = parents.map((parent, row) => [...rows[parent]!, tokens[row]!]);
    },
  };
}

/** Every sequence that ends or is cut, with its sum. */
function all(
  seed: number,
  ids: readonly number[] = [],
  sum = 0,
): { ids: readonly number[]; sum: number; length: number }[] {
  if (ids.length === LENGTH) return [];
  return [...drawn(seed, ids)].flatMap((logprob, token) => {
    const [length, total] = [ids.length + 1, sum + logprob];
    if (token === END) return [{ ids, sum: total, length }];
    const longer = [...ids, token];
    return [...(length === LENGTH ? [{ ids: longer, sum: total, length }] : []), ...all(seed, longer, total)];
  });
}

it.each([1, 2, 3])('a beam as wide as the tree finds the best sequences there are (seed %i)', async (seed) => {
  const options = { beams: VOCABULARY ** LENGTH, lengthPenalty: 0, endId: END, maxTokens: LENGTH };
  const found = await beamSearch(rowsOf(seed), options);
  const sequences = all(seed).sort((left, right) => right.sum - left.sum);
  expect(found.map(({ ids }) => ids)).toEqual(sequences.map(({ ids }) => ids));
  for (const [index, { sumLogprob, tokens, finish }] of found.entries()) {
    expect(sumLogprob).toBeCloseTo(sequences[index]!.sum, 6);
    expect(tokens).toBe(sequences[index]!.length);
    expect(finish).toBe(sequences[index]!.ids.length === tokens ? 'length' : 'stop');
  }
});

it('a length penalty orders by the mean; narrow beams give as many as asked for', async () => {
  const options = { beams: 3, lengthPenalty: 1, endId: END, maxTokens: LENGTH };
  const found = await beamSearch(rowsOf(1), options);
  const means = found.map(({ sumLogprob, tokens }) => sumLogprob / tokens);
  expect(found).toHaveLength(3);
  expect(means).toEqual(means.toSorted((left, right) => right - left));
});

it('bytes and back: text that is not ASCII, halves of characters, ids that no text has', () => {
  expect(byteIds('a⊢')).toEqual([100, 229, 141, 165]);
  expect(byteText([1, ...byteIds('n ⊢ ∀'), 0, 260])).toBe('n ⊢ ∀');
  expect(byteText(byteIds('a⊢', 3))).toBe('a');
});

it('writes what its graphs say, by beams and by samples, and its engine proposes it', async () => {
  const model = await EncoderDecoder.open({ folder: await tinyEncoderDecoder(), threads: 1 });
  onTestFinished(() => model.close());
  const request = { input: '⊢ True', prefix: '', inputBytesMax: 100, maxTokens: 8 };
  const beams = await model.write({ ...request, search: { kind: 'beam', beams: 2, lengthPenalty: 0 } });
  expect(beams.map(({ text, tokens, finish }) => [text, tokens, finish])).toEqual([
    ['rfl', 4, 'stop'],
    ['simp', 5, 'stop'],
  ]);
  // The first letter decides: 1 / (1 + 1/e), and its complement.
  expect(beams[0]!.sumLogprob).toBeCloseTo(-Math.log(1 + Math.exp(-1)), 4);
  expect(beams[1]!.meanLogprob).toBeCloseTo(-Math.log(1 + Math.E) / 5, 4);
  const greedy = await model.write({ ...request, prefix: 's', search: { kind: 'sample', temperature: 0, seeds: [1] } });
  expect(greedy.map(({ text, tokens }) => [text, tokens])).toEqual([['simp', 4]]);
  const engine = encoderDecoderEngine(model, {
    name: 'tiny',
    temperatures: [0, 1],
    samples: 8,
    maxTokens: 8,
    lengthPenalty: 0,
  });
  const query = {
    goal: { hypotheses: [], target: 'True' },
    state: '⊢ True',
    prefix: '',
    context: '',
    definitions: [],
    premises: [],
  };
  const proposals = await engine.propose(query, new AbortController().signal);
  expect(proposals.slice(0, 2).map(({ text }) => text)).toEqual(['rfl', 'simp']);
  expect(proposals[0]!.score).toBeCloseTo(proposals[0]!.logprob! / 4, 6);
  const begun = await engine.propose({ ...query, prefix: 'si' }, new AbortController().signal);
  expect(begun[0]!.text).toBe('simp');
  const vector = await engine.embed!('⊢', new AbortController().signal);
  expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
});

it('says what is wrong with a folder', async () => {
  const directory = await tinyEncoderDecoder();
  const opening = (): Promise<EncoderDecoder> => EncoderDecoder.open({ folder: directory, threads: 1 });
  await writeFile(join(directory, 'tokenizer_config.json'), JSON.stringify({ tokenizer_class: 'T5Tokenizer' }));
  await expect(opening()).rejects.toThrow(/tokenizer_config\.json[\s\S]*ByT5Tokenizer/u);
  await rm(join(directory, 'tokenizer_config.json'));
  await rm(join(directory, 'decoder_model.onnx'));
  await expect(opening()).rejects.toThrow('neither decoder_model_merged.onnx nor decoder_model.onnx');
});
