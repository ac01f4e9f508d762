/** The parts that the processes' parent keeps and cuts: samples of failed calls, and batches of texts. */
import { describe, expect, it } from 'vitest';
import type { Completion } from '../../generator.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { KeptSamples } from './kept-samples.ts';

const SAMPLING = { temperature: 1, topP: 1, maxTokens: 8 };
const PROMPT = 'x'.repeat(10_000);
const request = (seed: number) => ({ id: `s${seed}`, prompt: PROMPT, seed });
const completion = (seed: number, text: string): Completion => ({
  id: `s${seed}`,
  text,
  tokens: 1,
  logprob: -1,
  finish: 'stop',
});

describe('kept samples', () => {
  it('are bounded by what they take, and the oldest go first; prompts do not count', () => {
    const kept = new KeptSamples(4_000);
    const seeds = [0, 1, 2, 3];
    const results = seeds.map((seed) => completion(seed, 'y'.repeat(500)));
    kept.keep({ requests: seeds.map(request), sampling: SAMPLING, results });
    const taken = seeds.map((seed) => kept.take(request(seed), SAMPLING)?.id ?? null);
    expect(taken).toEqual([null, 's1', 's2', 's3']);
  });

  it('count once, however often they are kept', () => {
    const kept = new KeptSamples(2_000);
    for (let time = 0; time < 10; time++)
      kept.keep({ requests: [request(1)], sampling: SAMPLING, results: [completion(1, 'y'.repeat(500))] });
    expect(kept.take({ ...request(1), id: 'other' }, SAMPLING)?.id).toBe('other');
    expect(kept.take(request(1), SAMPLING)).toBeNull();
  });
});

it('cuts texts of any lengths into batches of bounded work', () => {
  const queue = new EmbeddingQueue();
  const lengths = [...Array(20).fill(100_000), ...Array(1_000).fill(40), 0];
  void queue.add(
    lengths.map((length: number) => 'x'.repeat(length)),
    undefined,
  );
  const batches: number[][] = [];
  for (let batch = queue.next(); batch !== undefined; batch = queue.next())
    batches.push(batch.texts.map((text) => text.length));
  expect(batches.flat()).toEqual(lengths);
  expect(batches[0]).toHaveLength(16);
  expect(batches.map((batch) => batch.length)).toEqual([16, 157, 204, 204, 204, 204, 32]);
});
