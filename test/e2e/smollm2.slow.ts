/**
 * The preset `smollm2` as a whole, on the processor, with a tiny random Llama in SmolLM2's place: SFT, round 0 and a round of
 * self-play, retraining and evaluation: by PyTorch, sampled by `transformers serve`, and by the embedded engine alone. In the slow tier since it takes minutes, most of
 * them Python loading its libraries.
 *
 * @module-tag slow
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summarySchema } from '@stp/config/records';
import { proverExample } from '@stp/selfplay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';
import { interpreter, skipsPython } from '../python/python.ts';
import { freePort } from '../support/ports.ts';
import { settings, stp } from '../support/stp.ts';
import { tinyLlama } from '../support/tiny-llama.ts';

const skips = skipsPython('a run of the preset smollm2');
const SHAPE = {
  ...{ hiddenSize: 36, layers: 2, heads: 3, keyValueHeads: 1, feedForwardSize: 96 },
  ...{ vocabularySize: 576, contextLength: 1_024, tiedEmbeddings: true },
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-smollm2-'));
});
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));

/** The base comes from PyTorch in both cases. */
const ENGINES = {
  'PyTorch and `transformers serve`': async () => ({
    ...{
      'engines.trainer.python': interpreter,
      'engines.trainer.device': 'cpu',
      'engines.trainer.precision': 'float32',
    },
    ...{ 'engines.generator.precision': 'float32', 'engines.generator.requestsInFlight': 16 },
    'engines.generator.port': await freePort(),
  }),
  'the embedded engine': async () => ({ 'engines.trainer.kind': 'embedded', 'engines.generator.kind': 'embedded' }),
};

describe.skipIf(skips)('the preset smollm2 trains, samples, plays a round, trains anew and evaluates', () => {
  it.each(Object.entries(ENGINES))('by %s', { timeout: 900_000 }, async (_, engines) => {
    const base = join(await mkdtemp(join(directory, 'case-')), 'tiny-llama');
    const theorems = (await repositorySources().libraryTheorems()).slice(0, 400);
    await tinyLlama(
      base,
      SHAPE,
      theorems.map(({ statement, proof }) => proverExample(statement, proof, 1)),
    );
    const run = join(base, '..', 'run');
    const values = {
      'engines.trainer.base': base,
      // The embedded engine checks them against the base; PyTorch takes the base's.
      ...Object.fromEntries(Object.entries(SHAPE).map(([size, value]) => [`model.${size}`, value])),
      ...(await engines()),
      ...{ 'data.problemSets': '["nng"]', 'data.trainStatementsPerSetMax': 6, 'data.heldOutStatementsPerSetMax': 2 },
      ...{ 'sft.stepsMax': 20, 'sft.tokensPerStep': 2_048, 'sampling.samplesPerStatement': 2 },
      ...{ 'sampling.samplesFirstRound': 2, 'sampling.maxTokens': 16, 'conjectures.perRoundMax': 6 },
      ...{ 'training.stepsMax': 5, 'training.tokensPerStep': 1_024, 'retrain.optimiser.stepsMax': 20 },
      ...{ 'retrain.optimiser.tokensPerStep': 2_048, 'evaluation.samplesPerStatement': 2 },
    };
    const result = await stp([
      'selfplay',
      '--preset',
      'smollm2',
      '--rounds',
      '1',
      '--run-dir',
      run,
      ...settings(values),
    ]);
    expect(result.exitCode, String(result.all)).toBe(0);
    const summary = summarySchema.parse(JSON.parse(await readFile(join(run, 'summary.json'), 'utf8')));
    expect(summary.provedPerRound).toHaveLength(1);
    // The first model, what the round made of it, and the one of the retraining.
    expect((await readdir(join(run, 'checkpoints'))).length).toBeGreaterThanOrEqual(3);
    for (const name of await readdir(join(run, 'checkpoints')))
      expect(JSON.parse(await readFile(join(run, 'checkpoints', name, 'config.json'), 'utf8'))).toMatchObject({
        model_type: 'llama',
        hidden_size: SHAPE.hiddenSize,
      });
  });
});
