/** The remote engine against servers that are full, broken, slow, strict or something else altogether. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseRetryAfter } from '@stp/http';
import { ModelServer, readManifest, type SampleRequest } from '@stp/language-model';
import {
  type Answering,
  completionOf,
  fakeServer,
  modelsSchema,
  type ReceivedRequest,
  sendJson,
} from '@stp/language-model/testing';
import { checkpointDirectory, openRemote } from '@stp/language-model/testing-hooks';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { remoteGenerators } from '../../workers/remote-generators.ts';

const SAMPLING = { temperature: 1, topP: 1, maxTokens: 8 };
const KEY_VARIABLE = 'STP_TEST_GENERATOR_KEY';
const KEY = 'secret-of-the-server';
/** Tries of one request before its call fails. */
const ATTEMPTS = 6;

let directory: string;
let model: string;

beforeAll(async () => {
  directory = await checkpointDirectory();
  model = (await readManifest(directory)).model;
});
afterEach(() => {
  delete process.env[KEY_VARIABLE];
});

const requests = (count: number): SampleRequest[] =>
  Array.from({ length: count }, (_, seed) => ({ id: `s${seed}`, prompt: 'theorem', seed }));

async function open(answer: Answering, options: { requestsInFlight?: number; requestTimeoutMs?: number } = {}) {
  const server = await fakeServer([{ id: model, max_model_len: 100 }], answer);
  return { server, remote: await openRemote(server.url, directory, { keyVariable: KEY_VARIABLE, ...options }) };
}

/** Answers well from the nth request for a seed on; before, as told. */
const wellAfter =
  (failures: number, fail: (response: ServerResponse, asked: ReceivedRequest) => void): Answering =>
  (asked, response) => {
    if (asked.before < failures) fail(response, asked);
    else sendJson(response, 200, completionOf(asked));
  };

const errorBody = (message: string) => ({ error: { message, type: 'x', param: null, code: null } });

describe('what another try can mend', () => {
  const expected = requests(3).map(({ id, seed }) => ({
    id,
    text: `text ${seed}`,
    tokens: 3,
    logprob: -1.75,
    finish: 'stop',
  }));

  it.each<[string, (response: ServerResponse) => void]>([
    ['a server error', (response) => sendJson(response, 500, errorBody('out of order'))],
    ['a gateway’s page', (response) => response.writeHead(502).end('<html>Bad gateway</html>')],
    ['a time-out of the server', (response) => sendJson(response, 408, errorBody('too slow'))],
    ['a conflict', (response) => sendJson(response, 409, errorBody('busy'))],
    ['a connection that breaks', (response) => response.destroy()],
    [
      'an answer cut short',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"choices": [');
        setImmediate(() => response.destroy());
      },
    ],
    ['an answer that is no JSON', (response) => response.writeHead(200).end('<html>Welcome</html>')],
    [
      'an answer without log-probabilities',
      (response) => sendJson(response, 200, { choices: [{ text: 'a', finish_reason: 'stop', logprobs: null }] }),
    ],
    ['an answer of no choice', (response) => sendJson(response, 200, { choices: [] })],
  ])('%s', async (_, fail) => {
    const { server, remote } = await open(wellAfter(2, fail));
    expect(await remote.sample(requests(3), SAMPLING)).toEqual(expected);
    expect(server.asked).toHaveLength(9);
  });

  it('an answer that does not come', async () => {
    const { server, remote } = await open(
      wellAfter(2, () => undefined),
      { requestTimeoutMs: 150 },
    );
    expect(await remote.sample(requests(3), SAMPLING)).toEqual(expected);
    // A good answer may be late too, where the machine stands still; then it is asked for once more.
    for (const { seed } of requests(3))
      expect(server.asked.filter(({ body }) => body.seed === seed).length).toBeGreaterThanOrEqual(3);
  });

  it('a full server, for as long as it says so', async () => {
    const full = (response: ServerResponse) => sendJson(response, 429, errorBody('full'), { 'retry-after': '0' });
    const { server, remote } = await open(wellAfter(ATTEMPTS + 2, full));
    expect(await remote.sample(requests(2), SAMPLING)).toHaveLength(2);
    expect(server.asked).toHaveLength(2 * (ATTEMPTS + 3));
  });

  it('waits as long as the server asks', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(parseRetryAfter('3')).toBe(3_000);
    expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
    expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:10 GMT', now)).toBe(0);
    expect(parseRetryAfter('soon')).toBeNull();
    expect(parseRetryAfter(undefined)).toBeNull();
  });
});

describe('what ends a call', () => {
  it('the same failure again and again, which a later call may not meet', async () => {
    const { server, remote } = await open((_, response) => sendJson(response, 503, errorBody('no engine')));
    await expect(remote.sample(requests(1), SAMPLING)).rejects.toMatchObject({
      code: 'STP1303',
      retryable: true,
      message: expect.stringContaining('503: no engine'),
    });
    expect(server.asked).toHaveLength(ATTEMPTS);
  });

  it('a server that never answers', async () => {
    const { remote } = await open(() => undefined, { requestTimeoutMs: 20 });
    await expect(remote.sample(requests(1), SAMPLING)).rejects.toMatchObject({ code: 'STP1303', retryable: true });
  });

  it.each([
    [400, 'temperature must be below 1', 'see its message'],
    [401, 'no such key', 'STP_GENERATOR_KEY'],
    [404, 'no such model', 'STP_GENERATOR_URL'],
    [302, 'moved', 'see its message'],
  ])('a refusal with status %i, at once', async (status, message, advice) => {
    process.env[KEY_VARIABLE] = KEY;
    const { server, remote } = await open((_, response) =>
      sendJson(response, status, errorBody(message), { location: 'http://127.0.0.1:1/' }),
    );
    const error: unknown = await remote.sample(requests(1), SAMPLING).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'STP1303',
      retryable: false,
      message: expect.stringContaining(message),
      advice: expect.stringContaining(advice),
    });
    expect(server.asked).toHaveLength(1);
    // The key is in the header and nowhere else.
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify([server.asked[0]?.body, error, (error as Error).message])).not.toContain(KEY);
  });

  it('an answer without end', async () => {
    const { server, remote } = await open((_, response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    await expect(remote.sample(requests(1), SAMPLING)).rejects.toMatchObject({ code: 'STP1303', retryable: false });
    expect(server.asked).toHaveLength(1);
  });

  it('an answer that stays something else', async () => {
    const { remote } = await open((_, response) => sendJson(response, 200, { hello: 'world' }));
    const failing = remote.sample(requests(1), SAMPLING);
    await expect(failing).rejects.toMatchObject({ code: 'STP1303', message: expect.stringContaining('OpenAI') });
  });

  it('closing it', async () => {
    const { remote } = await open(() => undefined);
    const sampling = remote.sample(requests(2), SAMPLING);
    await remote.close();
    await expect(sampling).rejects.toMatchObject({ code: 'STP1301' });
  });
});

it('keeps what a failed call had finished, and asks for the rest only', async () => {
  let isWell = false;
  const { server, remote } = await open(
    (asked, response) => {
      if (isWell || Number(asked.body.seed) < 10) sendJson(response, 200, completionOf(asked));
      else sendJson(response, 500, errorBody('down'));
    },
    { requestsInFlight: 4 },
  );
  const finished: number[] = [];
  const onCompletion = (index: number) => finished.push(index);
  await expect(remote.sample(requests(20), SAMPLING, { onCompletion })).rejects.toMatchObject({ retryable: true });
  expect(finished.toSorted((a, b) => a - b)).toEqual([...Array(10).keys()]);
  isWell = true;
  const askedBefore = server.asked.length;
  const completions = await remote.sample(requests(20), SAMPLING);
  expect(completions.map(({ text }) => text)).toEqual(requests(20).map(({ seed }) => `text ${seed}`));
  const askedAgain = server.asked.slice(askedBefore).map(({ body }) => Number(body.seed));
  // A request that the failed call had sent may arrive after its end, so one of the rest may be seen twice.
  expect([...new Set(askedAgain)].toSorted((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  // They are kept for one try.
  const askedBeforeLast = server.asked.length;
  await remote.sample(requests(2), SAMPLING);
  expect(
    server.asked
      .slice(askedBeforeLast)
      .map(({ body }) => Number(body.seed))
      .toSorted(),
  ).toEqual([0, 1]);
});

it('has no more in flight than it may, over all its calls', async () => {
  const { server, remote } = await open(
    (asked, response) => setTimeout(() => sendJson(response, 200, completionOf(asked)), 5),
    { requestsInFlight: 3 },
  );
  const [left, right] = await Promise.all([
    remote.sample(requests(12), SAMPLING),
    remote.sample(requests(9), SAMPLING),
  ]);
  expect([left.length, right.length]).toEqual([12, 9]);
  expect(server.inFlightMost()).toBe(3);
});

it('takes the room that is left where vLLM refuses a request for more', async () => {
  const message =
    'You passed 95 input tokens and requested 8 output tokens. However, the model’s context length is 100.';
  const { server, remote } = await open((asked, response) => {
    const isTooLong = asked.body.prompt === 'long' || asked.body.max_tokens !== null;
    if (isTooLong) sendJson(response, 400, { message, code: 400 });
    else sendJson(response, 200, completionOf(asked));
  });
  const [short, long] = await remote.sample(
    [
      { id: 'a', prompt: 'theorem', seed: 1 },
      { id: 'b', prompt: 'long', seed: 2 },
    ],
    SAMPLING,
  );
  expect(short).toMatchObject({ id: 'a', text: 'text 1' });
  expect(long).toEqual({ id: 'b', text: '', tokens: 0, logprob: 0, finish: 'length' });
  expect(server.asked).toHaveLength(4);
});

it('says in every request what it wants, with a seed of its own', async () => {
  const { server, remote } = await open(wellAfter(0, () => undefined));
  expect(remote.model).toMatchObject({ name: model, contextLength: 100 });
  await remote.sample(requests(2), { temperature: 0.5, topP: 0.9, maxTokens: 4, stop: ['\n'] });
  expect(server.asked.map(({ body }) => body)).toEqual(
    [0, 1].map((seed) => ({
      model,
      prompt: 'theorem',
      n: 1,
      seed,
      max_tokens: 4,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['\n'],
      logprobs: 0,
      skip_special_tokens: false,
    })),
  );
});

describe('embeddings', () => {
  const answering =
    (embedding: unknown): Answering =>
    ({ body }, response) =>
      sendJson(response, 200, { data: (body.input as string[]).map((_, index) => ({ index, embedding })).reverse() });

  it('are brought to length 1, and asked for in parts', async () => {
    const { server, remote } = await open(answering(Array.from({ length: 96 }, (_, at) => (at < 4 ? 5 : 0))));
    const vectors = await remote.embed(Array.from({ length: 70 }, (_, index) => (index === 3 ? '' : 'text')));
    expect([...vectors[0]!.slice(0, 5)]).toEqual([0.5, 0.5, 0.5, 0.5, 0]);
    expect(Math.hypot(...vectors[3]!)).toBe(0);
    expect(server.asked.map(({ body }) => (body.input as string[]).length)).toEqual([32, 32, 5]);
  });

  it.each([
    ['too short', [1, 2, 3]],
    ['not finite', Buffer.from(new Float32Array(96).fill(Number.NaN).buffer).toString('base64')],
  ])('are refused where they are %s', async (_, embedding) => {
    const { remote } = await open(answering(embedding));
    await expect(remote.embed(['text'])).rejects.toMatchObject({ code: 'STP1303' });
  });
});

describe('the checkpoint', () => {
  it('must be what the server serves', async () => {
    const { url } = await fakeServer([{ id: 'llama' }, { id: 'other' }], () => undefined);
    await expect(openRemote(url, directory)).rejects.toMatchObject({
      code: 'STP1304',
      retryable: false,
      message: expect.stringContaining('serves llama, other'),
      advice: expect.stringContaining(`--name ${model}`),
    });
  });

  it('may be served under a name that holds its hash', async () => {
    const { url } = await fakeServer([{ id: `prover-${model}` }], () => undefined);
    const remote = await openRemote(url, directory, { servedName: 'prover-{model}' });
    expect(remote.model.name).toBe(model);
  });

  it('is sampled by the first of several servers that has it', async () => {
    const other = await fakeServer([{ id: 'other' }], () => undefined);
    const right = await fakeServer(
      [{ id: model }],
      wellAfter(0, () => undefined),
    );
    const remote = await openRemote([other.url, right.url], directory);
    expect(await remote.sample(requests(2), SAMPLING)).toHaveLength(2);
    expect([other.asked.length, right.asked.length]).toEqual([0, 2]);
    const nowhere = openRemote([other.url, other.url], directory);
    await expect(nowhere).rejects.toMatchObject({ code: 'STP1304', message: expect.stringContaining('; http') });
    // The one that does not answer may have it: worth another try.
    const unclear = openRemote([other.url, 'http://127.0.0.1:9'], directory);
    await expect(unclear).rejects.toMatchObject({ code: 'STP1303', retryable: true });
  });

  it('is looked for again where its server was started anew with another', async () => {
    const models = [{ id: model }];
    const { url } = await fakeServer(
      models,
      wellAfter(0, () => undefined),
    );
    const generators = remoteGenerators({ urls: [`${url}/v1`], firstRetryMs: 2 });
    onTestFinished(() => generators.close());
    const generator = await generators.generator(directory);
    expect(await generators.generator(directory)).toBe(generator);
    models[0] = { id: 'other' };
    await expect(generators.generator(directory)).rejects.toMatchObject({ code: 'STP1304' });
    models[0] = { id: model };
    expect(await (await generators.generator(directory)).sample(requests(1), SAMPLING)).toHaveLength(1);
  });

  it('is looked for elsewhere where its server is gone', async () => {
    const well = wellAfter(0, () => undefined);
    const [gone, other] = [await fakeServer([{ id: model }], well), await fakeServer([{ id: model }], well)];
    const generators = remoteGenerators({ urls: [`${gone.url}/v1`, `${other.url}/v1`], firstRetryMs: 2 });
    onTestFinished(() => generators.close());
    await generators.generator(directory);
    gone.stop();
    const found = await generators.generator(directory);
    expect(await found.sample(requests(1), SAMPLING)).toHaveLength(1);
    expect([gone.asked.length, other.asked.length]).toEqual([0, 1]);
    expect(await generators.generator(directory)).toBe(found);
  });

  it('is looked for no longer than its caller wants to wait', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const generators = remoteGenerators({ urls: [`http://127.0.0.1:${port}/v1`], firstRetryMs: 2 });
    onTestFinished(() => generators.close());
    const cancelled = new AbortController();
    silent.once('request', () => cancelled.abort(new Error('cancelled')));
    await expect(generators.generator(directory, cancelled.signal)).rejects.toThrow('cancelled');
    // Nor than a question of what is served may take, also where samples may take longer.
    const server = new ModelServer({
      url: `http://127.0.0.1:${port}/v1`,
      requestsInFlight: 1,
      requestTimeoutMs: 600_000,
      firstRetryMs: 2,
    });
    onTestFinished(() => server.close());
    const { signal } = new AbortController();
    const asked = server.ask('models', { schema: modelsSchema, answerBytesMax: 1_000, timeoutMs: 20, signal });
    await expect(asked).rejects.toMatchObject({ code: 'STP1303', message: expect.stringContaining('within 20 ms') });
  });

  it('is not looked for where nothing answers', async () => {
    await expect(openRemote('http://127.0.0.1:9', directory)).rejects.toMatchObject({
      code: 'STP1303',
      retryable: true,
    });
  });
});
