/**
 * The sampler against a reference in double precision, and against itself under every other batching. Real ONNX Runtime sessions on a
 * model of 0.25 million weights; costs about five seconds.
 */

import { PROMPT_MARKERS } from '@stp/config/words';
import fc from 'fast-check';
import { Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { LlamaReference } from '../../testing/llama-reference.ts';
import { LEAN_TEXTS, SMALL_SHAPE, smallModel } from '../../testing/small-checkpoint.ts';
import type { ModelShape } from '../../trainer.ts';
import { decodeGraph } from './decode-graph.ts';
import type { Sampled } from './growing-sample.ts';
import { KeyValueCache } from './key-value-cache.ts';
import { uniformAt } from './philox.ts';
import { Reader } from './reader.ts';
import { type SampledModel, type SampleGroup, Sampler } from './sampler.ts';
import { openSession } from './session.ts';

/** The design requires that the graphs agree to 1e-4 in log-probability. */
const LOG_PROBABILITY_TOLERANCE = 1e-4;

const SHAPES: readonly [string, ModelShape][] = [
  ['groups of 3', SMALL_SHAPE],
  ['groups of 2', { ...SMALL_SHAPE, heads: 4 }],
  ['no groups', { ...SMALL_SHAPE, heads: 4, keyValueHeads: 4 }],
  ['one key-value head', { ...SMALL_SHAPE, heads: 3, keyValueHeads: 1 }],
  ['a head of its own', { ...SMALL_SHAPE, tiedEmbeddings: false }],
];

function worstDifference(actual: Float32Array, expected: Float32Array): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((worst, value, index) => Math.max(worst, Math.abs(value - expected[index]!)), 0);
}

/** Reads prompts of unequal length, then decodes given tokens, each row at its own position. */
async function decodedLogProbabilities(
  checkpoint: SampledModel,
  sequences: readonly { ids: readonly number[]; promptLength: number }[],
) {
  const { shape } = checkpoint;
  const rows = sequences.length;
  const size = shape.vocabularySize;
  const reader = await Reader.open(checkpoint, 0);
  const session = await openSession(decodeGraph(checkpoint), 'decode');
  const cache = new KeyValueCache(checkpoint);
  const found = sequences.map(({ ids }) => new Float32Array(ids.length * size).fill(Number.NaN));
  const lengths = new Int32Array(rows);
  for (const [row, { ids, promptLength }] of sequences.entries()) {
    const prefix = await reader.prefill(ids.slice(0, promptLength));
    cache.setPrefix(row, prefix);
    found[row]!.set(prefix.logProbabilities, (promptLength - 1) * size);
    lengths[row] = promptLength;
  }
  while (sequences.some(({ ids }, row) => lengths[row]! < ids.length)) {
    const isOver = (row: number) => lengths[row]! >= sequences[row]!.ids.length;
    const tokens = BigInt64Array.from(sequences, ({ ids }, row) => BigInt(isOver(row) ? 0 : ids[lengths[row]!]!));
    const positions = BigInt64Array.from(lengths, (length) => BigInt(Math.min(length, shape.contextLength - 1)));
    const results = await session.run({
      tokens: new Tensor('int64', tokens, [rows]),
      positions: new Tensor('int64', positions, [rows, 1]),
      ...cache.inputs(lengths),
    });
    cache.append(results.fresh!.data as Float32Array, lengths);
    for (let row = 0; row < rows; row++) {
      if (isOver(row)) continue;
      const data = results.logProbabilities!.data as Float32Array;
      found[row]!.set(data.subarray(row * size, (row + 1) * size), lengths[row]! * size);
      lengths[row] = lengths[row]! + 1;
    }
  }
  await session.release();
  await reader.close();
  return found;
}

const promptOf = (text: string) => text.slice(0, text.indexOf('<by>') + '<by>'.length);

/** Makes several samples of several prompts with unequal lengths and limits. */
function groups(shift = 0): SampleGroup[] {
  return LEAN_TEXTS.map((text, at) => ({
    prompt: promptOf(text),
    sampling: { temperature: 0.7 + 0.1 * at, topP: at % 2 === 0 ? 1 : 0.9, maxTokens: 15 + 11 * at },
    samples: Array.from({ length: 3 }, (_, index) => ({ key: 100 * at + index, seed: 1_000 * at + index + shift })),
  }));
}

async function sampleAll(checkpoint: SampledModel, rows: number, batches: readonly (readonly SampleGroup[])[]) {
  const sampler = await Sampler.open(checkpoint, rows);
  const samples = new Map<number, Sampled>();
  for (const batch of batches) {
    for (const group of batch) sampler.add(group);
    while (!sampler.idle) for (const sample of (await sampler.step()).ended) samples.set(sample.key, sample);
  }
  await sampler.close();
  return new Map([...samples].sort(([a], [b]) => a - b));
}

describe.each(SHAPES)('sampler with %s', (_, shape) => {
  const checkpoint = smallModel(shape);

  it('decodes the probabilities of the reference, rows at unequal places', async () => {
    const sequences = [150, 37, 90, 64, 5].map((length, row) => ({
      ids: Array.from({ length }, (_, at) => Math.floor(uniformAt(row, at) * shape.vocabularySize)),
      promptLength: [70, 1, 32, 63, 4][row]!,
    }));
    const decoded = await decodedLogProbabilities(checkpoint, sequences);
    let likeliest = Number.NEGATIVE_INFINITY;
    for (const [row, { ids, promptLength }] of sequences.entries()) {
      const expected = new LlamaReference(checkpoint).logProbabilities(ids);
      const from = (promptLength - 1) * shape.vocabularySize;
      const difference = worstDifference(decoded[row]!.subarray(from), expected.subarray(from));
      expect(difference).toBeLessThan(LOG_PROBABILITY_TOLERANCE);
      likeliest = expected.subarray(from).reduce((most, value) => Math.max(most, value), likeliest);
    }
    // The distribution is not flat, so a comparison is meaningful.
    expect(likeliest).toBeGreaterThan(Math.log(10 / shape.vocabularySize));
  });

  it('gives the same samples, bit for bit, in any batching', async () => {
    const expected = await sampleAll(checkpoint, 8, [groups()]);
    expect(expected.size).toBe(3 * LEAN_TEXTS.length);
    expect(new Set([...expected.values()].map(({ text }) => text)).size).toBeGreaterThan(LEAN_TEXTS.length);
    const reversed = groups().reverse();
    expect(await sampleAll(checkpoint, 8, [reversed])).toEqual(expected);
    expect(
      await sampleAll(
        checkpoint,
        8,
        reversed.map((group) => [group]),
      ),
    ).toEqual(expected);
    // Each sample reads its prompt separately.
    const apart = groups().flatMap((group) => group.samples.map((sample) => ({ ...group, samples: [sample] })));
    expect(await sampleAll(checkpoint, 8, [apart])).toEqual(expected);
  });
});

describe('sampler in any batching', () => {
  it('gives the same samples with any number of rows, in any order and groups, joined at any time', async () => {
    const checkpoint = smallModel();
    const expected = await sampleAll(checkpoint, 8, [groups()]);
    const samples = groups().flatMap((group) => group.samples.map((sample) => ({ ...group, samples: [sample] })));
    const order = fc.shuffledSubarray(samples, { minLength: samples.length });
    const joins = fc.array(fc.nat(12), { minLength: samples.length, maxLength: samples.length });
    const plan = fc.tuple(fc.integer({ min: 1, max: 13 }), order, joins);
    await fc.assert(
      fc.asyncProperty(plan, async ([rows, arrivals, steps]) => {
        const sampler = await Sampler.open(checkpoint, rows);
        const found = new Map<number, Sampled>();
        const step = async () => {
          for (const sample of (await sampler.step()).ended) found.set(sample.key, sample);
        };
        for (const [index, group] of arrivals.entries()) {
          // Most groups arrive together, some steps after the previous one.
          sampler.add(group);
          for (let wait = 0; wait < Math.max(0, steps[index]! - 9); wait++) await step();
        }
        while (!sampler.idle) await step();
        await sampler.close();
        expect(new Map([...found].sort(([a], [b]) => a - b))).toEqual(expected);
      }),
      { numRuns: 10, seed: 1 },
    );
  });
});

describe('sampler', () => {
  const checkpoint = smallModel();

  it('follows the seed: another seed gives other samples', async () => {
    const [first, second] = [await sampleAll(checkpoint, 4, [groups()]), await sampleAll(checkpoint, 4, [groups(500)])];
    const differing = [...first].filter(([key, { text }]) => second.get(key)?.text !== text);
    expect(differing.length).toBeGreaterThan(first.size / 2);
  });

  it('says how a sample ended, and counts its tokens and log-probability', async () => {
    const samples = [...(await sampleAll(checkpoint, 8, [groups()])).values()];
    expect(new Set(samples.map(({ finish }) => finish))).toEqual(new Set(['stop', 'length']));
    for (const { key, tokens, finish, text, logprob } of samples) {
      const limit = groups().find(({ samples: own }) => own.some((sample) => sample.key === key))!.sampling.maxTokens;
      if (finish === 'length') expect(tokens).toBe(limit);
      else expect(tokens).toBeLessThanOrEqual(limit);
      expect(text).not.toContain('<end>');
      expect(logprob).toBeLessThan(0);
    }
  });

  it('has the log-probability that the reference gives the same tokens', async () => {
    // A vocabulary of bytes alone: a text that is UTF-8 says which tokens were chosen.
    const vocabularySize = 256 + 2 + PROMPT_MARKERS.length;
    const bytes = smallModel({ ...SMALL_SHAPE, vocabularySize });
    const prompt = promptOf(LEAN_TEXTS[0]!);
    const seeds = Array.from({ length: 48 }, (_, key) => ({ key, seed: 77 + key }));
    const group = { prompt, sampling: { temperature: 1, topP: 1, maxTokens: 3 }, samples: seeds };
    let compared = 0;
    for (const { text, tokens, finish, logprob } of (await sampleAll(bytes, 8, [[group]])).values()) {
      const chosen = [...bytes.tokenizer.encode(text), ...(finish === 'stop' ? [bytes.tokenizer.endId] : [])];
      if (chosen.length !== tokens || text.includes('\uFFFD')) continue;
      const ids = [...bytes.tokenizer.encode(prompt), ...chosen];
      const rows = new LlamaReference(bytes).logProbabilities(ids);
      const start = ids.length - chosen.length - 1;
      const expected = chosen.reduce((sum, id, at) => sum + rows[(start + at) * vocabularySize + id]!, 0);
      expect(Math.abs(logprob - expected)).toBeLessThan(LOG_PROBABILITY_TOLERANCE * tokens);
      compared++;
    }
    expect(compared).toBeGreaterThan(2);
  });

  it('ends at the context, and gives an empty sample where a prompt leaves no room', async () => {
    const long = `<prove>${'x y '.repeat(SMALL_SHAPE.contextLength)}<by>`;
    const words = 'x y '.repeat(20);
    const sampling = { temperature: 1, topP: 1, maxTokens: 1_000 };
    const group = (key: number, prompt: string) => ({
      prompt,
      sampling,
      samples: Array.from({ length: 8 }, (_, n) => ({ key: key + n, seed: n })),
    });
    const samples = await sampleAll(checkpoint, 4, [[group(0, long), group(10, words)]]);
    expect(samples.get(0)).toEqual({ key: 0, text: '', tokens: 0, logprob: 0, finish: 'length' });
    const room = SMALL_SHAPE.contextLength - checkpoint.tokenizer.encode(words).length;
    const ran = [...samples.values()].filter(({ key, finish }) => key >= 10 && finish === 'length');
    for (const { tokens } of ran) expect(tokens).toBe(room);
    expect(ran.length).toBeGreaterThan(0);
  });

  it('drops samples that nobody waits for, and the others are as if they had never been', async () => {
    const expected = await sampleAll(checkpoint, 4, [groups()]);
    const sampler = await Sampler.open(checkpoint, 4);
    for (const group of groups()) sampler.add(group);
    const samples: Sampled[] = [];
    for (let step = 0; step < 6; step++) samples.push(...(await sampler.step()).ended);
    sampler.drop((key) => key % 2 === 1);
    while (!sampler.idle) samples.push(...(await sampler.step()).ended);
    await sampler.close();
    for (const sample of samples) expect(sample).toEqual(expected.get(sample.key));
    expect(samples.filter(({ key }) => key % 2 === 0).length).toBe(
      [...expected.keys()].filter((key) => key % 2 === 0).length,
    );
    expect(samples.length).toBeLessThan(expected.size);
  });
});
