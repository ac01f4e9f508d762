/** The measured speed of sampling, with the embedded engine on a small model, and with a generator whose speed is known. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeCheckpoint } from './checkpoint/checkpoint.ts';
import { embeddedGenerator } from './embedded/engine.ts';
import type { Generator } from './generator.ts';
import { measureSampling } from './measure-sampling.ts';
import { smallCheckpoint, temporaryDirectory } from './testing/small-checkpoint.ts';

it('times the embedded engine for as long as it is told', { timeout: 60_000 }, async () => {
  const directory = join(await temporaryDirectory(), 'model');
  await writeCheckpoint(directory, smallCheckpoint());
  const generator = await embeddedGenerator({ threads: 1 })(directory);
  onTestFinished(() => generator.close());
  const { tokensPerSecond, tokens, seconds } = await measureSampling(generator, { seconds: 0.5 });
  expect(seconds).toBeGreaterThanOrEqual(0.5);
  expect(tokens).toBeGreaterThan(0);
  expect(tokensPerSecond).toBeCloseTo(tokens / seconds);
});

it('gives the speed of an engine that takes 20 ms a token, also if it ends each text early', async () => {
  const lengths: number[] = [];
  const generator: Pick<Generator, 'model' | 'sample'> = {
    model: { name: 'slow', contextLength: 64, vocabularySize: 2, hiddenSize: 1 },
    sample: async ([request], { maxTokens }) => {
      lengths.push(maxTokens);
      const tokens = Math.min(maxTokens, 10);
      await new Promise((resolve) => setTimeout(resolve, 20 * tokens));
      return [{ id: request!.id, text: '', tokens, logprob: null, finish: 'stop' }];
    },
  };
  const { tokensPerSecond } = await measureSampling(generator as Generator, { seconds: 0.4 });
  expect(tokensPerSecond).toBeGreaterThan(25);
  expect(tokensPerSecond).toBeLessThanOrEqual(50.5);
  // Prompt and text fit into the context.
  expect(Math.max(...lengths)).toBeLessThanOrEqual(32);
});
