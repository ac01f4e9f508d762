/** Chats through the official client, against a folder with a chat template and one without. Costs about five seconds. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Generator } from '../generator.ts';
import { checkpointDirectory, openEmbedded, type Served, serveGenerator } from '../testing/served.ts';

/** This template requires alternating roles, as some models' templates do. */
const TEMPLATE =
  "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}" +
  "{{ raise_exception('roles must alternate') }}{% endif %}{{ '<prove>' + message['content'] }}{% endfor %}<by>";
const messages = [{ role: 'user', content: '(n : Nat) : n + 0 = n' }] as const;
const prompt = '<prove>(n : Nat) : n + 0 = n<by>';
let engine: Generator;
let served: Served;
let plain: Served;

beforeAll(async () => {
  const withoutTemplate = await checkpointDirectory();
  plain = await serveGenerator(await openEmbedded(withoutTemplate), withoutTemplate);
  const directory = await checkpointDirectory();
  // A folder as other tools write it.
  for (const name of ['manifest.json', 'training.json']) await rm(join(directory, name));
  await writeFile(join(directory, 'chat_template.jinja'), TEMPLATE);
  engine = await openEmbedded(directory);
  served = await serveGenerator(engine, directory);
});

const ask = (fields: Record<string, unknown> = {}) =>
  served.client.chat.completions.create({
    model: 'small',
    messages: [...messages],
    max_tokens: 12,
    seed: 7,
    ...fields,
    stream: false,
  });

describe('chats', () => {
  it('are what the template makes of them', async () => {
    const answer = await ask({ n: 3, logprobs: true, top_logprobs: 2 });
    expect(answer.object).toBe('chat.completion');
    const texts = await served.client.completions.create({ model: 'small', prompt, max_tokens: 12, seed: 7, n: 3 });
    expect(answer.choices.map(({ message }) => message.content)).toEqual(texts.choices.map(({ text }) => text));
    expect(answer.choices[0]).toMatchObject({ index: 0, message: { role: 'assistant' } });
    expect(answer.usage).toEqual(texts.usage);
    const { content } = answer.choices[0]!.logprobs!;
    expect(content!.length).toBeGreaterThan(0);
    expect(content![0]!.top_logprobs).toHaveLength(2);
    const parts = [{ role: 'user', content: [{ type: 'text', text: messages[0].content }] }];
    expect((await ask({ messages: parts, n: 3 })).choices.map(({ message }) => message.content)).toEqual(
      answer.choices.map(({ message }) => message.content),
    );
  });

  it('have a form that is asked for only where the engine follows grammars', async () => {
    const text = await ask({ response_format: { type: 'text' } });
    expect(text).toMatchObject({ choices: (await ask()).choices });
    for (const response_format of [
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    ])
      await expect(ask({ response_format })).rejects.toMatchObject({
        status: 400,
        param: 'response_format',
        message: expect.stringContaining('llama.cpp'),
      });
    const schema = { type: 'string', pattern: 'x' };
    await expect(ask({ response_format: { type: 'json_schema', json_schema: { schema } } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('pattern'),
    });
  });

  it('are streamed in pieces that make up the same text', async () => {
    const { choices } = await ask();
    const stream = await served.client.chat.completions.create({
      model: 'small',
      messages: [...messages],
      max_tokens: 12,
      seed: 7,
      ...{ stream: true, stream_options: { include_usage: true } },
    });
    let text = '';
    let finish: string | null = null;
    for await (const { object, choices: parts } of stream) {
      expect(object).toBe('chat.completion.chunk');
      text += parts[0]?.delta.content ?? '';
      finish ??= parts[0]?.finish_reason ?? null;
    }
    expect(text).toBe(choices[0]!.message.content);
    expect(finish).toBe(choices[0]!.finish_reason);
  });

  it('reach the engine the same as messages of a request', async () => {
    const sampling = { temperature: 1, topP: 1, maxTokens: 12 };
    const [asChat] = await engine.sample([{ id: '0', prompt: 'not this', messages, seed: 7 }], sampling);
    const [asText] = await engine.sample([{ id: '0', prompt, seed: 7 }], sampling);
    expect(asChat).toEqual(asText);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['the template refuses', () => ask({ messages: [messages[0], messages[0]] }), /roles must alternate/],
    ['have no messages', () => ask({ messages: [] }), /messages/],
    ['have a role of their own', () => ask({ messages: [{ role: 'tool', content: 'x' }] }), /role/],
    ['show a picture', () => ask({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }), /messages/],
    ['call tools', () => ask({ tools: [{ type: 'function', function: { name: 'x' } }] }), /`tools` is not supported/],
    ['are longer than the context', () => ask({ messages: [{ role: 'user', content: 'n '.repeat(500) }] }), /context/],
    [
      'go to a model without a template',
      () => plain.client.chat.completions.create({ model: 'small', messages: [...messages] }),
      /no chat template; use \/v1\/completions/,
    ],
  ])('that %s are refused with the reason', async (_, asked, problem) => {
    const error = await asked().catch((reason: unknown) => reason);
    if (!(error instanceof OpenAI.BadRequestError)) throw error;
    expect(error.message).toMatch(problem);
  });
});
