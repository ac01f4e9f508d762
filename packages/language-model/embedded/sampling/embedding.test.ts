/** Embeddings against a reference in double precision, and against themselves in other batches. Costs about five seconds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LlamaReference } from '../../testing/llama-reference.ts';
import { LEAN_TEXTS, SMALL_SHAPE, smallModel } from '../../testing/small-checkpoint.ts';
import { Embedder } from './embedder.ts';
import { Reader } from './reader.ts';
import type { SampledModel } from './sampler.ts';

const TOLERANCE = 1e-5;

async function withEmbedder<T>(model: SampledModel, use: (embed: Embedder['embed']) => Promise<T>): Promise<T> {
  const reader = await Reader.open(model, model.tokenizer.padId);
  const embedder = new Embedder(reader, model.tokenizer, model.shape);
  const result = await use((texts) => embedder.embed(texts));
  await reader.close();
  return result;
}

function vectorsOf(flat: Float32Array, count: number): Float32Array[] {
  const size = flat.length / count;
  return Array.from({ length: count }, (_, index) => flat.slice(index * size, (index + 1) * size));
}

describe('embeddings', () => {
  it.each([
    ['groups of 3', smallModel()],
    ['no groups, a head of its own', smallModel({ ...SMALL_SHAPE, heads: 4, keyValueHeads: 4, tiedEmbeddings: false })],
    ['other constants', smallModel(SMALL_SHAPE, { rmsEpsilon: 1e-2, ropeTheta: 500 })],
  ])('are the mean of the last layer at length 1: %s', async (_, model) => {
    const texts = [...LEAN_TEXTS, 'x', LEAN_TEXTS.join('\n')];
    const vectors = vectorsOf(await withEmbedder(model, (embed) => embed(texts)), texts.length);
    const reference = new LlamaReference(model);
    for (const [index, text] of texts.entries()) {
      // The last of them is longer than the context, which cuts it.
      const expected = reference.embedding(model.tokenizer.encode(text).slice(0, model.shape.contextLength));
      const differences = expected.map((value, at) => Math.abs(value - vectors[index]![at]!));
      expect(Math.max(...differences)).toBeLessThan(TOLERANCE);
      expect(Math.abs(Math.hypot(...vectors[index]!) - 1)).toBeLessThan(TOLERANCE);
    }
    // Texts that differ have vectors that do.
    const similarity = vectors[0]!.reduce((sum, value, at) => sum + value * vectors[1]![at]!, 0);
    expect(similarity).toBeLessThan(0.99);
  });

  it('of a text are the same bits in every batch', async () => {
    const lengths = Array.from({ length: 90 }, (_, index) => `(h${index} : ${'n + '.repeat(index % 23)}n = ${index})`);
    const texts = [...LEAN_TEXTS, ...lengths];
    await withEmbedder(smallModel(), async (embed) => {
      const alone: Float32Array[] = [];
      for (const text of texts) alone.push(await embed([text]));
      const indices = fc.array(fc.nat(texts.length - 1), { minLength: 1, maxLength: 120 });
      await fc.assert(
        fc.asyncProperty(indices, async (chosen) => {
          const together = await embed(chosen.map((index) => texts[index]!));
          expect(vectorsOf(together, chosen.length)).toEqual(chosen.map((index) => alone[index]));
        }),
        { numRuns: 12, seed: 1 },
      );
    });
  });

  it('of a text without tokens are zeros, and a text without end takes no longer than its first tokens', async () => {
    const endless = 'x '.repeat(5_000_000);
    const flat = await withEmbedder(smallModel(), (embed) => embed(['', endless, 'x '.repeat(200)]));
    const [empty, long, cut] = vectorsOf(flat, 3);
    expect(empty!.every((value) => value === 0)).toBe(true);
    expect(long).toEqual(cut);
  });
});
