/** The remote engine over chat endpoints: streams, early ends, several choices a request, several servers. Under 3 s. */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../checkpoint/checkpoint.ts';
import type { SampleRequest } from '../../generator.ts';
import { type Answering, completionOf, fakeServer, type ReceivedRequest, sendJson } from '../../testing/fake-server.ts';
import { checkpointDirectory, openRemote } from '../../testing/served.ts';
import type { RemoteOptions } from './engine.ts';

const SAMPLING = { temperature: 1, topP: 1, maxTokens: 64 };
const CHAT = '/v1/chat/completions';
let directory: string;
let model: string;

beforeAll(async () => {
  directory = await checkpointDirectory();
  model = (await readManifest(directory)).model;
});

const chats = (count: number, prompt = 'prove it'): SampleRequest[] =>
  Array.from({ length: count }, (_, seed) => ({
    id: `s${seed}`,
    prompt: `<user>${prompt}`,
    messages: [{ role: 'user', content: prompt }],
    seed,
  }));

async function open(answer: Answering, options: Partial<RemoteOptions> = {}) {
  const server = await fakeServer([{ id: model }], answer);
  return { server, remote: await openRemote(server.url, directory, options) };
}

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const chatAnswer = (...texts: string[]) => ({
  choices: texts.map((content, index) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' })),
  usage,
});

/** Sends the events of a stream, one per chunk. The caller decides what the server does afterwards. */
function writeEvents(response: ServerResponse, pieces: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) response.write(`data: ${JSON.stringify(piece)}\n\n`);
}
const delta = (content: string, finish_reason: string | null = null, index = 0) => ({
  choices: [{ index, delta: { content }, finish_reason }],
});
const endStream = (response: ServerResponse): void => void response.end('data: [DONE]\n\n');

describe('a chat', () => {
  it('goes to the chat endpoint as messages, and its answer comes with counts of tokens', async () => {
    const { server, remote } = await open((_, response) => sendJson(response, 200, chatAnswer('done')));
    const stop = ['</end>'];
    expect(await remote.sample(chats(1), { ...SAMPLING, stop })).toEqual([
      { id: 's0', text: 'done', tokens: 5, promptTokens: 7, logprob: null, finish: 'stop' },
    ]);
    expect(server.asked.map(({ path, body }) => [path, body])).toEqual([
      [
        CHAT,
        {
          model,
          messages: [{ role: 'user', content: 'prove it' }],
          n: 1,
          seed: 0,
          max_tokens: 64,
          temperature: 1,
          top_p: 1,
          stop,
        },
      ],
    ]);
  });

  it('has its thinking in the text where the server gives it apart', async () => {
    const message = { role: 'assistant', content: 'yes', reasoning_content: 'hm' };
    const { remote } = await open((_, response) =>
      sendJson(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    );
    const [completion] = await remote.sample(chats(1), SAMPLING);
    expect(completion?.text).toBe('<think>hm</think>yes');
  });

  it('has the log-probabilities of its tokens where they are asked for', async () => {
    const content = [{ token: 'yes', logprob: -0.5, top_logprobs: [{ token: 'no', logprob: -1 }] }];
    const { server, remote } = await open((_, response) =>
      sendJson(response, 200, {
        choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop', logprobs: { content } }],
      }),
    );
    const [completion] = await remote.sample(chats(1), { ...SAMPLING, tokenLogprobs: true, topLogprobs: 1 });
    expect(completion).toMatchObject({ logprob: -0.5, tokens: 1 });
    expect(completion?.tokenLogprobs).toEqual([{ token: 'yes', logprob: -0.5, top: [{ token: 'no', logprob: -1 }] }]);
    expect(server.asked[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 1 });
  });

  it.each([
    [400, 'Cannot use chat template functions because tokenizer.chat_template is not set', 'no chat template'],
    [404, 'Not Found', 'no chat endpoint'],
  ])('that the server refuses with %i ends with advice', async (status, message, advice) => {
    const { remote } = await open((_, response) => sendJson(response, status, { error: { message } }));
    await expect(remote.sample(chats(1), SAMPLING)).rejects.toMatchObject({
      code: 'STP1303',
      retryable: false,
      advice: expect.stringContaining(advice),
    });
  });
});

describe('a server that ignores `stop`', () => {
  it('gets its answer cut here, before the text that comes first', async () => {
    const { remote } = await open((_, response) => sendJson(response, 200, chatAnswer('one STOP two END three')));
    const [completion] = await remote.sample(chats(1), { ...SAMPLING, stop: ['END', 'STOP'] });
    expect(completion).toMatchObject({ text: 'one ', finish: 'stop', tokens: 5 });
  });
});

describe('a streamed answer', () => {
  const whole = { isComplete: () => false };

  it('is put together, and counted by the usage at its end', async () => {
    const { server, remote } = await open((_, response) => {
      writeEvents(response, [delta('a'), delta('b'), delta('', 'stop'), { choices: [], usage }]);
      endStream(response);
    });
    expect(await remote.sample(chats(1), SAMPLING, whole)).toEqual([
      { id: 's0', text: 'ab', tokens: 5, promptTokens: 7, logprob: null, finish: 'stop' },
    ]);
    expect(server.asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('that is ended here has the counts of its last event, from a server that counts with each', async () => {
    const counted = (content: string, tokens: number) => ({
      ...delta(content),
      usage: { prompt_tokens: 7, completion_tokens: tokens, total_tokens: 7 + tokens },
    });
    const { server, remote } = await open((_, response) =>
      writeEvents(response, [counted('a ', 16), counted('b', 31)]),
    );
    const [completion] = await remote.sample(chats(1), SAMPLING, { isComplete: (_, text) => text === 'a b' });
    expect(completion).toMatchObject({ text: 'a b', tokens: 31, promptTokens: 7, finish: 'stop' });
    expect(server.asked[0]?.body.stream_options).toEqual({ include_usage: true, continuous_usage_stats: true });
  });

  it('comes from a server too that refuses to count so', async () => {
    const { server, remote } = await open((asked, response) => {
      if (JSON.stringify(asked.body).includes('continuous_usage_stats')) {
        const message = "Unknown parameter: 'stream_options.continuous_usage_stats'.";
        return sendJson(response, 400, { error: { message } });
      }
      writeEvents(response, [delta('a', 'stop'), { choices: [], usage }]);
      endStream(response);
    });
    expect((await remote.sample(chats(3), SAMPLING, whole)).map(({ text }) => text)).toEqual(['a', 'a', 'a']);
    expect(server.asked.length).toBeLessThanOrEqual(6);
  });

  it('ends where it is complete, and the server is told by the closed connection', async () => {
    let closed = (): void => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { remote } = await open((_, response) => {
      response.once('close', closed);
      // The stream would never end.
      writeEvents(response, [delta('plan '), delta('```lean4\nx\n'), delta('```'), delta('more')]);
    });
    const seen: string[] = [];
    const isComplete = (_: number, text: string): boolean => {
      seen.push(text);
      return text.endsWith('\n```');
    };
    expect(await remote.sample(chats(1), SAMPLING, { isComplete })).toEqual([
      { id: 's0', text: 'plan ```lean4\nx\n```', tokens: 3, logprob: null, finish: 'stop' },
    ]);
    expect(seen).toEqual(['plan ', 'plan ```lean4\nx\n', 'plan ```lean4\nx\n```']);
    await isClosed;
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['is cut short', (response) => setImmediate(() => response.destroy())],
    ['ends without a reason', endStream],
    [
      'reports an error in its midst',
      (response) => {
        writeError(response);
        endStream(response);
      },
    ],
    ['falls silent', () => undefined],
  ])('that %s is asked for again, and counted once', async (_, fail) => {
    const finished: number[] = [];
    const { server, remote } = await open(
      (asked, response) => {
        if (asked.before === 0) {
          writeEvents(response, [delta('half')]);
          fail(response);
        } else {
          writeEvents(response, [delta(`text ${asked.body.seed}`, 'stop'), { choices: [], usage }]);
          endStream(response);
        }
      },
      { requestTimeoutMs: 200 },
    );
    const onCompletion = (index: number) => finished.push(index);
    const completions = await remote.sample(chats(3), SAMPLING, { ...whole, onCompletion });
    expect(completions.map(({ text }) => text)).toEqual(['text 0', 'text 1', 'text 2']);
    expect(finished.toSorted()).toEqual([0, 1, 2]);
    expect(server.asked.length).toBeGreaterThanOrEqual(6);
  });

  it('of more than it may have ends at the limit, and what was finished stays', async () => {
    const { remote } = await open((asked, response) => {
      if (asked.body.seed === 0) {
        writeEvents(response, [delta('short', 'stop')]);
        endStream(response);
        return;
      }
      writeEvents(response, []);
      const part = `data: ${JSON.stringify(delta('x'.repeat(65_536)))}\n\n`;
      const write = (): void => {
        while (!response.destroyed && response.write(part));
      };
      response.on('drain', write);
      write();
    });
    const [short, endless] = await remote.sample(chats(2), SAMPLING, whole);
    expect(short).toMatchObject({ text: 'short', finish: 'stop' });
    expect(endless?.finish).toBe('length');
    expect(endless!.text.length).toBeLessThan(4_000_000);
  });
});

const writeError = (response: ServerResponse): void =>
  void response.write(`data: ${JSON.stringify({ error: { message: 'engine died' } })}\n\n`);

describe('several samples in one request', () => {
  const texts = (asked: ReceivedRequest): string[] =>
    Array.from({ length: Number(asked.body.n) }, (_, at) => `text ${Number(asked.body.seed) + at}`);
  const expected = Array.from({ length: 10 }, (_, seed) => `text ${seed}`);
  const answersOf = (completions: readonly { text: string }[]) => completions.map(({ text }) => text);

  it('are asked for where that is wanted, those of one prompt together', async () => {
    const { server, remote } = await open((asked, response) => sendJson(response, 200, chatAnswer(...texts(asked))), {
      samplesPerRequest: 4,
    });
    const completions = await remote.sample(chats(10), SAMPLING);
    expect(answersOf(completions)).toEqual(expected);
    expect(server.asked.map(({ body }) => body.n).toSorted()).toEqual([2, 4, 4]);
    // The tokens of a request are counted once.
    expect(completions.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(15);
    expect(completions.reduce((sum, { promptTokens = 0 }) => sum + promptTokens, 0)).toBe(21);
  });

  it('are asked for again where the server ignores `n`, none twice', async () => {
    const finished: number[] = [];
    const { server, remote } = await open((asked, response) => sendJson(response, 200, chatAnswer(texts(asked)[0]!)), {
      samplesPerRequest: 4,
      requestsInFlight: 1,
    });
    const completions = await remote.sample(chats(10), SAMPLING, { onCompletion: (index) => finished.push(index) });
    expect(answersOf(completions)).toEqual(expected);
    expect(finished.toSorted((a, b) => a - b)).toEqual([...Array(10).keys()]);
    expect(server.asked.map(({ body }) => body.n)).toEqual([4, ...Array(9).fill(1)]);
  });

  it('are asked for in smaller numbers where the server refuses so many', async () => {
    const { server, remote } = await open(
      (asked, response) => {
        if (Number(asked.body.n) > 2) sendJson(response, 400, { error: { message: 'n must be at most 2, got 8.' } });
        else sendJson(response, 200, chatAnswer(...texts(asked)));
      },
      { samplesPerRequest: 8, requestsInFlight: 1 },
    );
    expect(answersOf(await remote.sample(chats(10), SAMPLING))).toEqual(expected);
    expect(server.asked.slice(0, 2).map(({ body }) => body.n)).toEqual([8, expect.any(Number)]);
    expect(server.asked.filter(({ body }) => Number(body.n) > 2).length).toBeLessThanOrEqual(2);
  });

  it('that are more than were asked for are no answer', async () => {
    const { remote } = await open((_, response) => sendJson(response, 200, chatAnswer('a', 'b')));
    await expect(remote.sample(chats(1), SAMPLING)).rejects.toMatchObject({
      code: 'STP1303',
      message: expect.stringContaining('2 for 1'),
    });
  });
});

describe('several servers', () => {
  const requests: SampleRequest[] = Array.from({ length: 40 }, (_, seed) => ({
    id: `s${seed}`,
    prompt: 'theorem',
    seed,
  }));
  const slowly: Answering = (asked, response) => setTimeout(() => sendJson(response, 200, completionOf(asked)), 3);

  it('that have the model share the requests', async () => {
    const [left, right] = [await fakeServer([{ id: model }], slowly), await fakeServer([{ id: model }], slowly)];
    const remote = await openRemote([left.url, right.url], directory, { requestsInFlight: 2 });
    const completions = await remote.sample(requests, SAMPLING);
    expect(completions.map(({ text }) => text)).toEqual(requests.map(({ seed }) => `text ${seed}`));
    expect(left.asked.length + right.asked.length).toBe(40);
    expect(Math.min(left.asked.length, right.asked.length)).toBeGreaterThan(5);
    expect([left.inFlightMost(), right.inFlightMost()]).toEqual([2, 2]);
  });

  it('do the work of one that fails, and no sample is counted twice', async () => {
    let answered = 0;
    const failing: Answering = (asked, response) => {
      if (answered++ < 5) sendJson(response, 200, completionOf(asked));
      else sendJson(response, 500, { error: { message: 'out of memory' } });
    };
    const [left, right] = [await fakeServer([{ id: model }], failing), await fakeServer([{ id: model }], slowly)];
    const remote = await openRemote([left.url, right.url], directory, { requestsInFlight: 2 });
    const finished: number[] = [];
    const completions = await remote.sample(requests, SAMPLING, { onCompletion: (index) => finished.push(index) });
    expect(completions.map(({ text }) => text)).toEqual(requests.map(({ seed }) => `text ${seed}`));
    expect(finished.toSorted((a, b) => a - b)).toEqual([...Array(40).keys()]);
    // The last failing request ends the call; finished samples are kept.
    right.stop();
    await expect(remote.sample(requests.slice(0, 4), SAMPLING)).rejects.toMatchObject({ retryable: true });
  });
});
