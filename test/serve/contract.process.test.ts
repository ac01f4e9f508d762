/**
 * The embedded engine, and the remote one over a server of the embedded one, keep the same promises and give the same
 * samples. Costs about 6 s of CPU.
 */
import { join } from 'node:path';
import type { Generator } from '@stp/language-model';
import { generatorContract, requestsFor, SAMPLING, sameSamples } from '@stp/language-model/testing';
import {
  atEnd,
  checkpointDirectory,
  openEmbedded,
  openRemote,
  serveGenerator,
} from '@stp/language-model/testing-hooks';
import type { LeanEnvironment } from '@stp/lean-verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { assemblePorts } from '../../workers/assemble.ts';
import { workerSettings } from '../../workers/settings.ts';

let directory: string;
let url: string;
let embedded: Generator;
let remote: Generator;

beforeAll(async () => {
  directory = await checkpointDirectory();
  embedded = await openEmbedded(directory);
  url = (await serveGenerator(embedded, directory)).server.url;
  remote = await openRemote(url, directory);
});

describe('embedded engine', () => generatorContract(() => embedded));

describe('remote engine', () => {
  generatorContract(() => remote);

  it('gives the samples and vectors of the engine behind the server', async () => {
    expect(remote.model).toEqual(embedded.model);
    for (const sampling of [
      SAMPLING,
      { temperature: 0, topP: 1, maxTokens: 12, tokenLogprobs: true },
      { temperature: 0.7, topP: 0.9, maxTokens: 60, stop: [' ', 'n'] },
    ])
      sameSamples(await remote.sample(requestsFor(3), sampling), await embedded.sample(requestsFor(3), sampling));
    const texts = requestsFor(8).map(({ prompt }, index) => prompt.slice(index));
    const far = await remote.embed(texts);
    const near = await embedded.embed(texts);
    far.forEach((vector, index) => {
      vector.forEach((value, at) => {
        expect(value).toBeCloseTo(near[index]![at]!, 6);
      });
    });
  });
});

describe('a host worker', () => {
  async function generatorOfWorker(environment: NodeJS.ProcessEnv) {
    const settings = workerSettings({ STP_CACHE: join(directory, '..', 'cache'), ...environment });
    // Lean is not asked for anything here.
    const ports = await assemblePorts(settings, {} as LeanEnvironment);
    atEnd(() => ports.close());
    return ports.generator('run', directory, 1, new AbortController().signal);
  }

  it('samples and embeds on the server that its settings name', async () => {
    const generator = await generatorOfWorker({ STP_GENERATOR_URL: url });
    let asked = 0;
    const onCompletion = () => asked++;
    const completions = await generator.sample(requestsFor(1), SAMPLING, { onCompletion });
    sameSamples(completions, await embedded.sample(requestsFor(1), SAMPLING));
    expect(asked).toBe(completions.length);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('route="/v1/models"');
    expect(await generator.embed(['theorem'])).toHaveLength(1);
  });

  it('does not take another model for its checkpoint', async () => {
    const asking = generatorOfWorker({ STP_GENERATOR_URL: url, STP_GENERATOR_MODEL: 'other-{model}' });
    await expect(asking).rejects.toMatchObject({ code: 'STP1304' });
  });
});
