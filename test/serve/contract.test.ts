/**
 * The embedded engine, and the remote one over a server of the embedded one, keep the same promises and give the same
 * samples. Costs about 6 s of CPU.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Generator } from '../../model/generator.ts';
import { generatorContract, requestsFor, SAMPLING, sameSamples } from './generator-contract.ts';
import { checkpointDirectory, openEmbedded, openRemote, serveGenerator } from './served.ts';

let embedded: Generator;
let remote: Generator;

beforeAll(async () => {
  const directory = await checkpointDirectory();
  embedded = await openEmbedded(directory);
  remote = await openRemote((await serveGenerator(embedded, directory)).server.url, directory);
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
