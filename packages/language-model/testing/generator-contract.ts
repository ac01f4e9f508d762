/** The contract of every `Generator`, as tests over one on the small checkpoint that `current` gives. */
import { expect, it } from 'vitest';
import type { Completion, Generator, SampleRequest, SamplingOptions } from '../generator.ts';
import { PROMPTS } from './small-checkpoint.ts';

export const SAMPLING: SamplingOptions = { temperature: 1, topP: 0.95, maxTokens: 40 };

/** `each` samples of every prompt, prompts mixed; seeds all differ. */
export function requestsFor(each: number): SampleRequest[] {
  return Array.from({ length: each * PROMPTS.length }, (_, index) => ({
    id: `s${index % PROMPTS.length}`,
    prompt: PROMPTS[index % PROMPTS.length]!,
    seed: 1_000 + 17 * index,
  }));
}

/** Log-probabilities may be summed in another order, and not every engine counts prompts. */
export function sameSamples(left: readonly Completion[], right: readonly Completion[]): void {
  const withoutLogprob = (completions: readonly Completion[]) =>
    completions.map(({ logprob: _, promptTokens: __, ...rest }) => rest);
  expect(withoutLogprob(left)).toEqual(withoutLogprob(right));
  left.forEach(({ logprob }, index) => {
    expect(logprob).toBeCloseTo(right[index]!.logprob!, 9);
  });
}

export function generatorContract(current: () => Generator): void {
  it('answers in the order of the requests, a seed at a time the same', async () => {
    const generator = current();
    const requests = requestsFor(3);
    const finished = new Map<number, Completion>();
    const progress: number[] = [];
    const completions = await generator.sample(requests, SAMPLING, {
      onCompletion: (index, completion) => finished.set(index, completion),
      onProgress: ({ completions: done }) => progress.push(done),
    });
    expect(completions.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(completions).toEqual(requests.map((_, index) => finished.get(index)));
    expect(progress.at(-1)).toBe(requests.length);
    expect(new Set(completions.map(({ text }) => text)).size).toBeGreaterThan(requests.length / 2);
    const backwards = await generator.sample(requests.toReversed(), SAMPLING);
    sameSamples(backwards.toReversed(), completions);
    sameSamples(await generator.sample([requests[7]!], SAMPLING), [completions[7]!]);
    const [other] = await generator.sample([{ ...requests[7]!, seed: 5 }], SAMPLING);
    expect(other?.text).not.toBe(completions[7]?.text);
    expect(await generator.sample([], SAMPLING)).toEqual([]);
  });

  it('gives the likeliest tokens of every place, where asked for', async () => {
    const generator = current();
    const plain = await generator.sample(requestsFor(1), { ...SAMPLING, tokenLogprobs: true });
    const completions = await generator.sample(requestsFor(1), { ...SAMPLING, tokenLogprobs: true, topLogprobs: 3 });
    for (const [index, { tokenLogprobs = [] }] of completions.entries()) {
      expect(tokenLogprobs.map(({ top: _, ...rest }) => rest)).toEqual(plain[index]!.tokenLogprobs);
      for (const { logprob, top = [] } of tokenLogprobs) {
        expect(top.length).toBeGreaterThan(0);
        expect(top.length).toBeLessThanOrEqual(3);
        expect(top.map((one) => one.logprob)).toEqual(top.map((one) => one.logprob).toSorted((a, b) => b - a));
        expect(top[0]!.logprob).toBeGreaterThanOrEqual(logprob);
      }
    }
  });

  it('gives the log-probability of every token, which sum to the whole', async () => {
    const generator = current();
    const completions = await generator.sample(requestsFor(1), { ...SAMPLING, tokenLogprobs: true });
    for (const { tokens, logprob, tokenLogprobs = [], text, finish } of completions) {
      expect(tokenLogprobs).toHaveLength(tokens);
      expect(tokenLogprobs.reduce((sum, token) => sum + token.logprob, 0)).toBeCloseTo(logprob!, 9);
      expect(tokenLogprobs.every((token) => token.logprob <= 0)).toBe(true);
      const spelt = tokenLogprobs.slice(0, finish === 'stop' ? -1 : undefined).map(({ token }) => token);
      if (!spelt.join('').includes('\uFFFD')) expect(spelt.join('')).toBe(text);
    }
    sameSamples(
      completions.map(({ tokenLogprobs: _, ...rest }) => rest),
      await generator.sample(requestsFor(1), SAMPLING),
    );
  });

  it('ends a sample before the first stop text', async () => {
    const generator = current();
    const requests = requestsFor(2);
    const free = await generator.sample(requests, SAMPLING);
    const [long] = free.map(({ text }) => text).sort((a, b) => b.length - a.length);
    const stop = [long!.slice(3, 5), long!.slice(6, 8)];
    const stopped = await generator.sample(requests, { ...SAMPLING, stop });
    stopped.forEach(({ text, finish }, index) => {
      const offsets = stop.map((word) => free[index]!.text.indexOf(word)).filter((offset) => offset >= 0);
      if (offsets.length === 0) expect(text).toBe(free[index]!.text);
      else {
        expect(finish).toBe('stop');
        expect(text).toBe(free[index]!.text.slice(0, Math.min(...offsets)));
      }
    });
    expect(stopped).not.toEqual(free);
  });

  it('gives text in pieces that make up the whole', async () => {
    const generator = current();
    const pieces = new Map<number, string>();
    const completions = await generator.sample(requestsFor(1), SAMPLING, {
      onText: (index, delta) => pieces.set(index, (pieces.get(index) ?? '') + delta),
      onCompletion: (index, { text }) => expect(pieces.get(index) ?? '').toBe(text),
    });
    expect(completions.map((_, index) => pieces.get(index) ?? '')).toEqual(completions.map(({ text }) => text));
  });

  it('gives what room the context has, and an empty sample where it has none', async () => {
    const generator = current();
    const { contextLength } = generator.model;
    const requests = [1, 2, 8].map((copies) => ({
      id: String(copies),
      prompt: PROMPTS[4]!.repeat(copies),
      seed: copies,
    }));
    const completions = await generator.sample(requests, { ...SAMPLING, maxTokens: 10 * contextLength });
    expect(completions[0]!.tokens).toBeGreaterThan(0);
    expect(completions.every(({ tokens }) => tokens < contextLength)).toBe(true);
    expect(completions[2]).toEqual({ id: '8', text: '', tokens: 0, logprob: 0, finish: 'length' });
  });

  it('ends with its signal, and works on after', async () => {
    const generator = current();
    const abort = new AbortController();
    const reason = new Error('enough');
    const sampling = generator.sample(requestsFor(40), SAMPLING, {
      signal: abort.signal,
      onCompletion: () => abort.abort(reason),
    });
    await expect(sampling).rejects.toBe(reason);
    await expect(generator.sample(requestsFor(1), SAMPLING, { signal: abort.signal })).rejects.toBe(reason);
    await expect(generator.embed(PROMPTS, { signal: abort.signal })).rejects.toBe(reason);
    expect(await generator.sample(requestsFor(1), SAMPLING)).toHaveLength(PROMPTS.length);
  });

  it('refuses what makes no sense', async () => {
    const generator = current();
    const [request] = requestsFor(1);
    for (const wrong of [{ temperature: -1 }, { topP: 0 }, { maxTokens: 0 }, { stop: [''] }])
      await expect(generator.sample([request!], { ...SAMPLING, ...wrong })).rejects.toMatchObject({ code: 'STP1002' });
    await expect(generator.sample([{ ...request!, seed: -1 }], SAMPLING)).rejects.toMatchObject({ code: 'STP1002' });
  });

  it('embeds each text by itself, at length 1', async () => {
    const generator = current();
    const texts = [...PROMPTS, '', PROMPTS[0]!.repeat(40)];
    const vectors = await generator.embed(texts);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => generator.model.hiddenSize));
    const lengths = vectors.map((vector) => Math.hypot(...vector));
    lengths.forEach((length, index) => {
      expect(length).toBeCloseTo(texts[index] === '' ? 0 : 1, 5);
    });
    const [alone] = await generator.embed([PROMPTS[3]!]);
    alone!.forEach((value, index) => {
      expect(value).toBeCloseTo(vectors[3]![index]!, 5);
    });
    const product = vectors[0]!.reduce((sum, value, index) => sum + value * vectors[1]![index]!, 0);
    expect(product).toBeLessThan(0.9999);
    expect(await generator.embed([])).toEqual([]);
  });
}
