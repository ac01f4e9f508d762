/**
 * Commands with a GGUF file: served to the official client, evaluated, described, planned; and a run whose checkpoints llama.cpp
 * samples. Installs llama.cpp into the cache if it is not there. Costs two minutes.
 *
 * @module-tag slow
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { llamaCppEngine, loadFormat } from '@stp/config';
import { evaluationReportSchema, type Statement } from '@stp/config/records';
import { openLlamaCpp, writeGgufModel } from '@stp/language-model';
import { llamaGguf, SMALL_SHAPE, smallCheckpoint, writeGguf } from '@stp/language-model/testing';
import { clientOf, PROMPTS } from '@stp/language-model/testing-hooks';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { formattedForm } from '@stp/selfplay';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openEngines } from '../../cli/models/suggest-engines.ts';
import { installLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { workerSettings } from '../../workers/settings.ts';
import { freePort } from '../support/ports.ts';
import { settings, stp, TINY_RUN } from '../support/stp.ts';

vi.setConfig({ testTimeout: 600_000 });
const { cacheDirectory } = workerSettings();
/** ChatML with a system text of its own, as Qwen2's: other than the text that the format writes without a template. */
const SYSTEM = '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n';
const CHATML =
  "{% for message in messages %}{% if loop.first and message.role != 'system' %}{{ '" +
  `${SYSTEM.replaceAll('\n', '\\n')}' }}{% endif %}` +
  "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
let home: string;
let file: string;

beforeAll(async () => {
  await installLlamaCpp({ cacheDirectory, say: console.log });
  home = await mkdtemp(join(tmpdir(), 'stp-llama-commands-'));
  file = join(home, 'small.gguf');
  const { fields, tensors } = llamaGguf(smallCheckpoint());
  await writeFile(file, writeGguf(fields, tensors));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The records of the one file of a folder whose name begins so. */
async function recordsIn(folder: string, name: RegExp): Promise<Record<string, unknown>[]> {
  const file = (await readdir(folder)).find((one) => name.test(one))!;
  const lines = (await readFile(join(folder, file), 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('serve answers the official client, in chat and in completion', async () => {
  const port = await freePort();
  const command = stp(['serve', '--model', file, '--port', String(port), '--sequences', '2', '--context-length', '96']);
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  await new Promise<void>((resolve, reject) => {
    command.stdout?.on('data', (text: Buffer) => text.includes('serving ') && resolve());
    command.then((result) => reject(new Error(String(result.all))), reject);
  });
  const client = clientOf(`http://127.0.0.1:${port}`);
  const models = (await client.models.list()).data;
  expect(models[0]).toMatchObject({ id: 'small', max_model_len: 96 });
  const asked = { model: 'small', max_tokens: 12, seed: 7, temperature: 1 };
  const text = await client.completions.create({ ...asked, prompt: PROMPTS[0]!, n: 3, logprobs: 2 });
  expect(text.choices).toHaveLength(3);
  expect(text.usage!.prompt_tokens).toBeGreaterThan(5);
  expect(text.choices[0]!.logprobs!.token_logprobs!.length).toBeGreaterThan(0);
  // The template of the file says the first message.
  const chat = await client.chat.completions.create({ ...asked, messages: [{ role: 'user', content: PROMPTS[0]! }] });
  const alone = await client.completions.create({ ...asked, prompt: PROMPTS[0]! });
  expect(chat.choices[0]!.message.content).toBe(alone.choices[0]!.text);
  let streamed = '';
  for await (const { choices } of await client.completions.create({ ...asked, prompt: PROMPTS[0]!, stream: true }))
    streamed += choices[0]?.text ?? '';
  expect(streamed).toBe(alone.choices[0]!.text);
  const schema = { type: 'object', properties: { a: { enum: [1, 2] } }, required: ['a'], additionalProperties: false };
  const json = await client.chat.completions.create({
    ...{ ...asked, max_tokens: 40, messages: [{ role: 'user' as const, content: PROMPTS[0]! }] },
    response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
  });
  expect(json.choices[0]!.finish_reason).toBe('stop');
  expect([1, 2]).toContain((JSON.parse(json.choices[0]!.message.content!) as { a: number }).a);
  await expect(client.completions.create({ ...asked, prompt: PROMPTS[0]!.repeat(9) })).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/context length is 96 tokens/),
  });
});

it('suggest proposes steps of a file', async () => {
  const context = { directory: home, cacheDirectory, runMark: 'test-llama', signal: new AbortController().signal };
  const options = { ...{ model: [file], server: [], python: 'python3', portfolio: false }, numSamples: 32 };
  const engines = await openEngines({ ...options, lengthPenalty: 0, engineSeconds: 120, maxTokens: 60 }, context);
  onTestFinished(() => Promise.all(engines.map((one) => one.close())).then(() => {}));
  const query = { goal: { hypotheses: [], target: 'True' }, state: '⊢ True', prefix: '', context: '' };
  const found = await engines[0]!.propose({ ...query, definitions: [], premises: [] }, context.signal);
  expect(found.length).toBeGreaterThan(0);
});

describe('what a file takes', () => {
  it('is planned, and said beside the engines', async () => {
    const planned = JSON.parse((await stp(['plan', '--model', file, '--sequences', '2', '--json'])).stdout as string);
    // Two layers of two heads with 16 numbers, keys and values, of two bytes; two samples and their prompt of 160 tokens.
    const cache = planned.parts.find(({ what }: { what: string }) => what === 'cache');
    expect(cache.gib * 2 ** 30).toBe(3 * 160 * 2 * 2 * 16 * 2 * 2);
    expect(planned.contextLength).toBe(160);
    const shown = JSON.parse((await stp(['weights', 'show', file, '--json'])).stdout as string);
    expect(shown.model.engines[0]).toMatchObject({ engine: 'llama-cpp', does: 'samples', problem: null });
    const cut = join(home, 'cut.gguf');
    await writeFile(cut, (await readFile(file)).subarray(0, 50_000));
    const refused = await stp(['plan', '--model', cut]);
    expect(refused.all).toMatch(/STP1302 .*the file ends before its data do/);
    expect(refused.exitCode).toBe(1);
  });
});

it('eval samples a file, and Lean decides', async () => {
  const set = settings({ 'sampling.maxTokens': 24 });
  const format = ['--format', 'deepseek-prover-v1.5', '--problems', 'nng', '--num-theorems', '2', '--samples', '2'];
  const result = await stp(['eval', '--model', file, ...format, ...set, '--run-dir', join(home, 'eval'), '--json']);
  expect(result.exitCode, String(result.all)).toBe(0);
  const report = JSON.parse(result.stdout as string);
  expect(report).toMatchObject({ modelName: 'small.gguf', samplesPerStatement: 2 });
  expect(report.tokens).toBeGreaterThan(0);
  // Started again after the file has changed, it is another model's.
  await writeFile(file, Buffer.concat([await readFile(file), Buffer.from('more')]));
  const other = await stp(['eval', '--model', file, ...format, ...set, '--run-dir', join(home, 'eval')]);
  expect(other.all).toMatch(/STP1002/);
});

it('eval asks a file by a chat in the form of its own template', async () => {
  const chat = join(home, 'chat.gguf');
  const { fields, tensors } = llamaGguf(smallCheckpoint({ ...SMALL_SHAPE, contextLength: 2_048 }));
  await writeFile(chat, writeGguf({ ...fields, 'tokenizer.chat_template': CHATML }, tensors));
  const run = join(home, 'eval-chat');
  const set = settings({ 'sampling.maxTokens': 24 });
  const format = ['--format', 'goedel-prover-v2', '--problems', 'nng', '--num-theorems', '1', '--samples', '2'];
  const command = ['eval', '--model', chat, ...format, '--temperature', '0', ...set, '--run-dir', run];
  const result = await stp(command);
  expect(result.exitCode, String(result.all)).toBe(0);
  const report = evaluationReportSchema.parse(JSON.parse(await readFile(join(run, 'evaluation.json'), 'utf8')));
  expect(report).toMatchObject({ modelName: 'chat.gguf', samples: 2, samplesPerStatement: 2 });
  const shard = join(run, 'evaluation', 'shard-0000');
  const [item] = await recordsIn(shard, /^items/);
  const [sample] = await recordsIn(shard, /^samples/);
  expect(sample).toMatchObject({ multiplicity: 2, tokens: report.tokens / 2 });

  // The file's figures after the text of its template, and after the text that the format writes without a template.
  const { statement } = item as { statement: Statement };
  const { prompt, messages } = formattedForm(loadFormat('goedel-prover-v2'), statement, LIBRARY_HEADER);
  const [message] = messages!;
  expect(message!.content).toContain(statement.statement);
  const { library } = await installLlamaCpp({ cacheDirectory, say: console.log });
  await writeGgufModel(chat, join(home, 'chat'));
  const engine = llamaCppEngine({ gpuLayers: 0, threads: 1 });
  const { generator } = await openLlamaCpp(join(home, 'chat'), { engine, library, cores: 1 });
  onTestFinished(() => generator.close());
  const written = async (text: string) => {
    const requests = [1, 2].map((seed) => ({ id: String(seed), prompt: text, seed }));
    const [completion] = await generator.sample(requests, { temperature: 0, topP: 0.95, maxTokens: 24 });
    return completion!;
  };
  const asked = await written(`${SYSTEM}<|im_start|>user\n${message!.content}<|im_end|>\n<|im_start|>assistant\n`);
  expect(sample!.tokens).toBe(asked.tokens);
  expect(Math.abs((sample!.logprob as number) - asked.logprob!)).toBeLessThan(1e-3);
  expect(Math.abs((await written(prompt)).logprob! - asked.logprob!)).toBeGreaterThan(0.1);
});

it('a run samples its checkpoints with llama.cpp', async () => {
  const run = join(home, 'run');
  const set = settings({ 'engines.generator.kind': 'llama-cpp', 'engines.generator.threads': 1 });
  const result = await stp(['selfplay', ...TINY_RUN, ...set, '--run-dir', run]);
  expect(result.exitCode, String(result.all)).toBe(0);
  const summary = JSON.parse(await readFile(join(run, 'summary.json'), 'utf8'));
  expect(summary.rounds.length).toBeGreaterThan(0);
});
