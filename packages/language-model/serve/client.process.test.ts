/** The official client of OpenAI against the server: it gets its results, and clear errors for forbidden requests. */
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Generator } from '../generator.ts';
import { checkpointDirectory, clientOf, openEmbedded, type Served, serveGenerator } from '../testing/served.ts';
import { PROMPTS } from '../testing/small-checkpoint.ts';

const KEY = 'first-key';
const prompt = PROMPTS[0]!;
let directory: string;
let engine: Generator;
let served: Served;

beforeAll(async () => {
  directory = await checkpointDirectory();
  engine = await openEmbedded(directory);
  served = await serveGenerator(engine, directory, { keys: [KEY, 'second-key'], name: 'small-prover' });
});

const ask = (fields: Partial<OpenAI.CompletionCreateParamsNonStreaming> & Record<string, unknown> = {}) =>
  served.client.completions.create({ model: 'small-prover', prompt, max_tokens: 20, seed: 7, ...fields });

/** Returns the error with which a request ends. */
async function refusal(asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error(`expected an error of the API, got ${error}`);
  return error;
}

describe('completions', () => {
  it('gives n choices with seeds of their own, again the same', async () => {
    const answer = await ask({ n: 4 });
    expect(answer).toMatchObject({ object: 'text_completion', model: 'small-prover' });
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(new Set(answer.choices.map(({ text }) => text)).size).toBe(4);
    const { choices } = await ask({ n: 4 });
    expect(choices).toEqual(answer.choices);
    // The seed of a choice is the request's seed plus its index, so it can be requested alone. Equal prompts of one
    // list differ.
    const [third] = (await ask({ seed: 9 })).choices;
    expect(third?.text).toBe(answer.choices[2]?.text);
    const listed = await ask({ prompt: [prompt, prompt, PROMPTS[1]!], n: 2 });
    expect(listed.choices.slice(0, 4)).toEqual(answer.choices);
    expect(listed.choices).toHaveLength(6);
    const completions = await engine.sample(
      answer.choices.map(({ index }) => ({ id: '', prompt, seed: 7 + index })),
      { temperature: 1, topP: 1, maxTokens: 20 },
    );
    expect(completions.map(({ text }) => text)).toEqual(answer.choices.map(({ text }) => text));
    const tokens = completions.reduce((sum, completion) => sum + completion.tokens, 0);
    expect(answer.usage?.completion_tokens).toBe(tokens);
    expect(answer.usage?.total_tokens).toBe(tokens + (answer.usage?.prompt_tokens ?? 0));
  });

  it('chooses seeds by chance where none is given', async () => {
    // Each request has eight texts, because two single texts might be equal by chance, such as two that end at once.
    const answers = await Promise.all([1, 2, 3].map(() => ask({ seed: null, max_tokens: 40, n: 8 })));
    expect(new Set(answers.map(({ choices }) => choices.map(({ text }) => text).join('|'))).size).toBe(3);
  });

  it('takes tokens as prompts', async () => {
    const { choices } = await ask();
    const { tokenizer } = await import('../checkpoint/model-folder.ts').then((module) => module.readModel(directory));
    const ids = tokenizer.encode(prompt);
    expect((await ask({ prompt: ids })).choices).toEqual(choices);
    expect((await ask({ prompt: [ids] })).choices).toEqual(choices);
    // The bytes of the text one by one: tokens, but not those the tokenizer makes.
    const bytes = [...Buffer.from('theorem theorem')].map((byte) => tokenizer.encode(String.fromCharCode(byte))[0]!);
    expect((await refusal(ask({ prompt: bytes }))).param).toBe('prompt');
    expect((await refusal(ask({ prompt: [2 ** 20] }))).param).toBe('prompt');
  });

  it('reports log-probabilities of the chosen tokens, and why a choice ended', async () => {
    const { choices } = await ask({ logprobs: 0, n: 8, max_tokens: 6, stop: ['\n', ' '] });
    for (const { logprobs, finish_reason: finish, text } of choices) {
      expect(logprobs?.tokens?.length).toBe(logprobs?.token_logprobs?.length);
      expect(logprobs?.text_offset?.[0]).toBe(0);
      expect(['stop', 'length']).toContain(finish);
      expect(text).not.toMatch(/[\n ]/);
    }
    expect((await ask({ max_tokens: 1 })).choices[0]?.logprobs).toBeNull();
    expect((await ask({ max_tokens: null })).choices[0]?.text).toEqual(expect.any(String));
  });

  it.each([1, 5])('reports the likeliest tokens beside the chosen ones, %i of them', async (logprobs) => {
    const fields = { n: 4, max_tokens: 8, temperature: 1.5 };
    const plain = await ask({ ...fields, logprobs: 0 });
    const { choices } = await ask({ ...fields, logprobs });
    let others = 0;
    for (const [index, choice] of choices.entries()) {
      // A request for top log-probabilities does not change the rest.
      const { top_logprobs: tops, ...rest } = choice.logprobs!;
      const { top_logprobs: none, ...before } = plain.choices[index]!.logprobs!;
      expect([choice.text, rest, none]).toEqual([plain.choices[index]!.text, before, null]);
      expect(tops).toHaveLength(rest.tokens!.length);
      for (const [at, top] of tops!.entries()) {
        const [chosen, values] = [rest.token_logprobs![at]!, Object.values(top).toSorted((a, b) => b - a)];
        expect(top[rest.tokens![at]!]).toBe(chosen);
        expect(values.length).toBeGreaterThan(0);
        expect(values.length).toBeLessThanOrEqual(logprobs + 1);
        expect(Math.min(...values)).toBeLessThanOrEqual(chosen);
        expect(values.reduce((sum, value) => sum + Math.exp(value), 0)).toBeLessThan(1.0001);
        if (values[0]! > chosen) others++;
      }
    }
    expect(others).toBeGreaterThan(0);
  });

  it('the likeliest token is the chosen one at temperature 0', async () => {
    const { choices } = await ask({ temperature: 0, logprobs: 1, max_tokens: 12 });
    const { tokens, token_logprobs: chosen, top_logprobs: tops } = choices[0]!.logprobs!;
    expect(tops).toEqual(tokens!.map((token, at) => ({ [token]: chosen![at]! })));
  });

  it('streams what it gives whole', async () => {
    const { choices } = await ask({ n: 3, logprobs: 2, max_tokens: 40 });
    const stream = await served.client.completions.create({
      model: 'small-prover',
      prompt,
      seed: 7,
      n: 3,
      logprobs: 2,
      max_tokens: 40,
      stream: true,
      stream_options: { include_usage: true },
    });
    const streamed = choices.map(() => ({ text: '', finish: '', logprobs: null as unknown }));
    let parts = 0;
    let usage: OpenAI.CompletionUsage | undefined;
    for await (const part of stream) {
      parts++;
      usage = part.usage ?? usage;
      for (const { index, text, finish_reason: finish, logprobs } of part.choices) {
        const choice = streamed[index]!;
        choice.text += text;
        if (finish) choice.finish = finish;
        choice.logprobs ??= logprobs;
      }
    }
    expect(streamed).toEqual(choices.map(({ text, finish_reason: finish, logprobs }) => ({ text, finish, logprobs })));
    expect(parts).toBeGreaterThan(choices.length + 1);
    expect(usage?.completion_tokens).toBe(
      choices.reduce((sum, { logprobs }) => sum + (logprobs?.tokens?.length ?? 0), 0),
    );
  });
});

describe('models and embeddings', () => {
  it('lists the model by its name and by the hash of its weights', async () => {
    const { data } = await served.client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['small-prover', engine.model.name]);
    expect(await served.client.models.retrieve(engine.model.name)).toMatchObject({ object: 'model' });
    expect((await ask({ model: engine.model.name })).model).toBe(engine.model.name);
    expect(await refusal(ask({ model: 'gpt-4' }))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('embeds in both encodings', async () => {
    const input = PROMPTS.slice(0, 3);
    const model = 'small-prover';
    const expected = await engine.embed(input);
    const packed = await served.client.embeddings.create({ model, input, encoding_format: 'base64' });
    const numbers = await served.client.embeddings.create({ model, input, encoding_format: 'float' });
    // The client asks for base64 and decodes it where no encoding is named.
    const decoded = await served.client.embeddings.create({ model, input });
    expected.forEach((vector, index) => {
      expect(numbers.data[index]?.embedding).toEqual([...vector]);
      expect(decoded.data[index]?.embedding).toEqual([...vector]);
      const bytes = Buffer.from(packed.data[index]?.embedding as unknown as string, 'base64');
      expect(bytes.readFloatLE(4)).toBe(vector[1]);
    });
    expect(numbers.usage.prompt_tokens).toBeGreaterThan(3);
    expect(await refusal(served.client.embeddings.create({ model, input, dimensions: 8 }))).toMatchObject({
      status: 400,
      param: 'dimensions',
    });
    for (const empty of ['', ['', 'x']])
      expect(await refusal(served.client.embeddings.create({ model, input: empty }))).toMatchObject({
        status: 400,
        param: 'input',
      });
  });

  it('answers a path that cannot be decoded in the form of all errors', async () => {
    const response = await fetch(`${served.server.url}/v1/models/%zz`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param: null } });
  });
});

describe('what is refused', () => {
  it.each([
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: 0 }],
    ['n', { n: 0 }],
    ['n', { n: 129 }],
    ['n', { n: 128, prompt: Array.from({ length: 64 }, () => prompt) }],
    ['max_tokens', { max_tokens: 0 }],
    ['seed', { seed: -1 }],
    ['seed', { seed: 2 ** 53 - 1 }],
    ['stop', { stop: '' }],
    ['stop', { stop: Array.from({ length: 9 }, String) }],
    ['logprobs', { logprobs: 6 }],
    ['logprobs', { logprobs: -1 }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: [prompt, 3] }],
    ['echo', { echo: true }],
    ['suffix', { suffix: 'qed' }],
    ['best_of', { best_of: 3 }],
    ['logit_bias', { logit_bias: { '3': 1 } }],
    ['frequency_penalty', { frequency_penalty: 1 }],
    ['top_k', { top_k: 5 }],
  ])('%s: %j', async (param, fields) => {
    const error = await refusal(ask(fields as Record<string, unknown>));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(error.message).toContain(param);
  });

  it('a prompt that fills the context', async () => {
    const error = await refusal(ask({ prompt: prompt.repeat(40) }));
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'prompt' });
  });

  it('nothing where a field asks for nothing, or nobody knows it', async () => {
    const { choices } = await ask();
    const neutral = { echo: false, suffix: null, best_of: 1, logit_bias: {}, top_k: -1, user: 'a', cache_salt: 'b' };
    expect((await ask(neutral)).choices).toEqual(choices);
  });

  it('a wrong key, everywhere but at the health check', async () => {
    for (const key of ['second', `${KEY}x`, 'first-ke', 'first-key,second-key']) {
      const client = clientOf(served.server.url, key);
      expect(await refusal(client.models.list())).toBeInstanceOf(OpenAI.AuthenticationError);
    }
    expect((await clientOf(served.server.url, 'second-key').models.list()).data).toHaveLength(2);
    expect((await fetch(`${served.server.url}/metrics`)).status).toBe(401);
    const health = await fetch(`${served.server.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('bodies that are none, too large, or of another type; paths that are not there', async () => {
    const post = async (body: string, type = 'application/json', path = 'completions') => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': type };
      const response = await fetch(`${served.server.url}/v1/${path}`, { method: 'POST', headers, body });
      const { error } = (await response.json()) as { error: { message: string; type: string } };
      expect(error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' });
      return response.status;
    };
    expect(await post('{"prompt": ')).toBe(400);
    expect(await post('[]')).toBe(400);
    expect(await post('null')).toBe(400);
    expect(await post('{"prompt":"\\ud800"}')).toBe(400);
    expect(await post(JSON.stringify({ prompt: 'x'.repeat(9_000_000) }))).toBe(413);
    expect(await post('{"prompt":"x"}', 'text/plain')).toBe(415);
    expect(await post('{}', 'application/json', 'responses')).toBe(404);
    expect(served.failures).toEqual([]);
  });
});

it('counts what it does', async () => {
  await ask();
  const headers = { authorization: `Bearer ${KEY}` };
  const metrics = async () => (await fetch(`${served.server.url}/metrics`, { headers })).text();
  // An answer is there a moment before the request counts as ended.
  await expect.poll(metrics).toMatch(/^stp_serve_requests_in_flight 0$/m);
  const text = await metrics();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(
    value('stp_serve_requests_total{route="/v1/completions",status="200"}'.replaceAll(/[{}]/g, '\\$&')),
  ).toBeGreaterThan(0);
  expect(value('stp_serve_completion_tokens_total')).toBeGreaterThan(0);
  expect(value('stp_serve_prompt_tokens_total')).toBeGreaterThan(0);
  expect(value('stp_serve_choices_unfinished')).toBe(0);
  expect(text).not.toContain('<prove>');
});
