/**
 * Tests the server when its engine dies, its clients leave, or it is full, slow or stopped. The engine's process is
 * really killed; a gate before the real engine holds requests in flight.
 */
import { connect } from 'node:net';
import OpenAI from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import type { Generator } from '../generator.ts';
import { checkpointDirectory, clientOf, openEmbedded, serveGenerator } from '../testing/served.ts';
import { PROMPTS } from '../testing/small-checkpoint.ts';

/** Time limit for what is immediate on an idle machine. */
const PATIENCE = { timeout: 60_000 };
const mark = `test-serve-${process.pid}`;
const body = { model: 'small', prompt: PROMPTS[0]!, max_tokens: 150, seed: 3 };
let directory: string;
let engine: Generator;

beforeAll(async () => {
  directory = await checkpointDirectory();
  engine = await openEmbedded(directory, mark);
});

/** The engine behind a gate: samples begin when it opens, or end with their signal. */
function gated() {
  const { promise: opened, resolve: openGate } = Promise.withResolvers<void>();
  let arrived = 0;
  const arrivals: (() => void)[] = [];
  const aborted: unknown[] = [];
  const generator: Generator = {
    model: engine.model,
    embed: (...asked) => engine.embed(...asked),
    close: () => engine.close(),
    async sample(requests, sampling, options = {}) {
      arrived++;
      for (const tell of arrivals) tell();
      const { signal } = options;
      const left = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.push(signal.reason);
          reject(signal.reason);
        });
      });
      await Promise.race([opened, left]);
      return engine.sample(requests, sampling, options);
    },
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (arrived >= count) resolve();
      };
      arrivals.push(look);
      look();
    });
  return { generator, openGate, until, aborted };
}

it('answers 503 when the engine dies under a request, and the next request is served', async () => {
  let onFirst: (() => void) | null = null;
  const watched: Generator = {
    model: engine.model,
    embed: (...asked) => engine.embed(...asked),
    close: () => engine.close(),
    sample: (requests, sampling, options = {}) =>
      engine.sample(requests, sampling, {
        ...options,
        onCompletion: (...finished) => {
          onFirst?.();
          options.onCompletion?.(...finished);
        },
      }),
  };
  const { client, failures } = await serveGenerator(watched, directory);
  const expected = await client.completions.create({ ...body, n: 2 });
  const [pid] = markedProcesses(mark);
  onFirst = () => {
    onFirst = null;
    process.kill(pid!, 'SIGKILL');
  };
  const error: unknown = await client.completions.create({ ...body, n: 64 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.InternalServerError);
  expect(error).toMatchObject({ status: 503, code: 'unavailable', type: 'server_error' });
  expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('1');
  expect(failures[0]).toMatchObject({ code: 'STP1301' });
  expect((await client.completions.create({ ...body, n: 2 })).choices).toEqual(expected.choices);
  // The parts that were streamed remain: the stream ends with the error.
  const [fresh] = markedProcesses(mark);
  expect([undefined, pid]).not.toContain(fresh);
  const stream = await client.completions.create({ ...body, n: 64, stream: true, seed: 10_000 });
  let isKilled = false;
  const reading = (async () => {
    for await (const _ of stream) {
      if (!isKilled) process.kill(fresh!, 'SIGKILL');
      isKilled = true;
    }
  })();
  await expect(reading).rejects.toThrow(/was killed/);
  expect(failures).toHaveLength(2);
  expect((await client.completions.create({ ...body, n: 2 })).choices).toEqual(expected.choices);
});

it('takes no more than it may, and says when to come back', async () => {
  const { generator, openGate, until } = gated();
  const { client } = await serveGenerator(generator, directory, { limits: { requestsInFlight: 2 } });
  const held = [client.completions.create(body), client.completions.create(body)];
  await until(2);
  const error = await client.completions.create(body).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('1');
  expect(
    await client.embeddings.create({ model: 'small', input: 'x' }).catch((reason: unknown) => reason),
  ).toBeInstanceOf(OpenAI.RateLimitError);
  expect((await client.models.list()).data).toHaveLength(2);
  openGate();
  expect(await Promise.all(held)).toHaveLength(2);
  // The official client retries by itself.
  expect((await client.completions.create(body, { maxRetries: 2 })).choices).toHaveLength(1);
});

it.each([false, true])('stops the work of a client that leaves (streaming: %s)', async (stream) => {
  const { generator, until, aborted } = gated();
  const { client, server } = await serveGenerator(generator, directory);
  const leaving = new AbortController();
  const asked = client.completions.create({ ...body, stream }, { signal: leaving.signal }) as Promise<unknown>;
  await until(1);
  leaving.abort();
  await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await expect.poll(() => aborted.length, PATIENCE).toBe(1);
  expect(aborted[0]).toMatchObject({ status: 499 });
  const metrics = () => fetch(`${server.url}/metrics`).then((response) => response.text());
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_requests_in_flight 0');
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_requests_total{route="/v1/completions",status="499"} 1');
  expect(await metrics()).toContain('stp_serve_choices_unfinished 0');
});

it('stops a stream that nobody reads any more', async () => {
  const { client, server } = await serveGenerator(engine, directory);
  const stream = await client.completions.create({ ...body, n: 128, stream: true });
  for await (const _ of stream) break;
  const metrics = () => fetch(`${server.url}/metrics`).then((response) => response.text());
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_requests_in_flight 0');
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_choices_unfinished 0');
  expect((await client.completions.create(body)).choices).toHaveLength(1);
});

it('ends a stream whose client has stopped reading', async () => {
  // More than the buffers between server and client hold.
  const text = 'x'.repeat(2 ** 25);
  const completion = { id: '0', text, tokens: 1, logprob: 0, finish: 'length' } as const;
  const talkative: Generator = {
    ...gated().generator,
    async sample(_, __, { onText, onCompletion } = {}) {
      onText?.(0, text);
      onCompletion?.(0, completion);
      return [completion];
    },
  };
  const { server } = await serveGenerator(talkative, directory, { limits: { requestTimeoutMs: 300 } });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const sent = JSON.stringify({ ...body, stream: true });
  socket.write(
    `POST /v1/completions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
  );
  const metrics = () => fetch(`${server.url}/metrics`).then((response) => response.text());
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_first_text_seconds_count 1');
  await expect.poll(metrics, PATIENCE).toContain('stp_serve_requests_in_flight 0');
  expect(await metrics()).toContain('stp_serve_requests_total{route="/v1/completions",status="499"} 1');
  socket.destroy();
});

it('ends a request that takes too long', async () => {
  const { generator, aborted } = gated();
  const { client } = await serveGenerator(generator, directory, { limits: { requestTimeoutMs: 50 } });
  for (const stream of [false, true]) {
    const error = await client.completions.create({ ...body, stream }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 504, code: 'timeout' });
  }
  expect(aborted).toHaveLength(2);
});

it('finishes what is under way before it stops, and takes nothing new', async () => {
  const { generator, openGate, until } = gated();
  const { client, server } = await serveGenerator(generator, directory);
  const held = client.completions.create(body);
  await until(1);
  const closed = server.close();
  const error = await client.completions.create(body).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ status: 503, code: 'unavailable' });
  openGate();
  expect((await held).choices).toHaveLength(1);
  await closed;
  await expect(clientOf(server.url).models.list()).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
});

it('stops what is still under way when a shutdown has waited long enough', async () => {
  const { generator, until } = gated();
  const { client, server } = await serveGenerator(generator, directory, { limits: { drainMs: 20 } });
  const held = client.completions.create(body).catch((reason: unknown) => reason);
  await until(1);
  await server.close();
  expect(await held).toMatchObject({ status: 503 });
});
