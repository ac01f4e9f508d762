/**
 * The remote engine against `transformers serve`, a server that other people made, with a random Qwen3 made on the spot.
 * It has no `n`, no log-probabilities, and refuses fields that OpenAI's API does not have. Costs about a minute.
 *
 * @module-tag slow
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadFormat } from '@stp/config';
import { statementId } from '@stp/config/ids';
import { evaluationReportSchema } from '@stp/config/records';
import { type RemoteGenerator, remoteGenerator, type SampleRequest, writeServedModel } from '@stp/language-model';
import { formattedForm } from '@stp/selfplay';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stp } from '../support/stp.ts';
import { interpreter, runPython, skipsPython } from './python.ts';

const START_MS_MAX = 240_000;
const SAMPLING = { temperature: 1, topP: 1, maxTokens: 24 };

const skips = skipsPython('transformers serve');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const directories: string[] = [];
const ended = new AbortController();

/** Serves a model of its own until the end of the file; `http://…/v1`. */
async function serve(chatTemplate: boolean): Promise<{ url: string; generator: RemoteGenerator }> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-transformers-'));
  directories.push(directory);
  const cache = join(directory, 'hub');
  const { name } = (await runPython('make_tiny_qwen.py', { cache, chatTemplate })) as { name: string };
  const port = await freePort();
  const server = execa(
    join(dirname(interpreter), 'transformers'),
    ['serve', '--host', '127.0.0.1', '--port', String(port), '--device', 'cpu'],
    {
      env: {
        HF_HUB_CACHE: cache,
        HF_HOME: directory,
        HF_HUB_OFFLINE: '1',
        OMP_NUM_THREADS: '1',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      cancelSignal: ended.signal,
      reject: false,
      all: true,
    },
  );
  let last: string | null = null;
  void server.then(({ all }) => {
    last = String(all);
  });
  const url = `http://127.0.0.1:${port}/v1`;
  const model = join(directory, 'model');
  await writeServedModel(model, { name, contextLength: 4_096, hiddenSize: 1, vocabularySize: 1 });
  for (const deadline = Date.now() + START_MS_MAX; ; ) {
    const isWell = await fetch(`${new URL(url).origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isWell) break;
    if (last !== null) throw new Error(`it ended: ${last}`);
    if (Date.now() > deadline) throw new Error('it does not serve');
    await sleep(250);
  }
  const generator = await remoteGenerator({ urls: [url], requestsInFlight: 4, firstRetryMs: 50 })(model);
  return { url, generator };
}

const stated = (index: number) => ({
  header: null,
  statement: `theorem t${index} (n : Nat) : n + ${index} = ${index} + n`,
});
const requests = (count: number, chat: boolean): SampleRequest[] =>
  Array.from({ length: count }, (_, index) => {
    const { prompt, messages } = formattedForm(loadFormat('goedel-prover-v2'), stated(index % 2), 'import Stp');
    return { id: `s${index}`, prompt, seed: index, ...(chat ? { messages: messages! } : {}) };
  });

describe.skipIf(skips)('transformers serve', () => {
  let served: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    served = await serve(true);
  });
  afterAll(async () => {
    ended.abort();
    for (const directory of directories) await rm(directory, { recursive: true, force: true });
  });

  it('samples chats: every request once, with its counts of tokens', async () => {
    const finished: number[] = [];
    const completions = await served.generator.sample(requests(6, true), SAMPLING, {
      onCompletion: (index) => finished.push(index),
    });
    expect(finished.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(completions.map(({ id }) => id)).toEqual(requests(6, true).map(({ id }) => id));
    for (const { tokens, promptTokens, logprob, finish } of completions) {
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(SAMPLING.maxTokens);
      expect(promptTokens).toBeGreaterThan(100);
      expect(logprob).toBeNull();
      expect(['stop', 'length']).toContain(finish);
    }
    expect(new Set(completions.map(({ text }) => text)).size).toBeGreaterThan(1);
  });

  it('sees a chat as our text of it: both endpoints count equally many tokens of prompts', async () => {
    const [chat] = await served.generator.sample(requests(1, true), SAMPLING);
    const [text] = await served.generator.sample(requests(1, false), SAMPLING);
    expect(chat!.promptTokens).toBe(text!.promptTokens);
  });

  it('streams, and stops where an answer is complete', async () => {
    const lengths: number[] = [];
    const isComplete = (_: number, text: string): boolean => {
      lengths.push(text.length);
      return text.length >= 3;
    };
    const completions = await served.generator.sample(
      requests(2, true),
      { ...SAMPLING, maxTokens: 2_000 },
      { isComplete },
    );
    for (const { tokens, finish } of completions) {
      expect(finish).toBe('stop');
      expect(tokens).toBeLessThan(500);
    }
    expect(lengths.length).toBeGreaterThan(0);
    const whole = await served.generator.sample(requests(1, true), SAMPLING, { isComplete: () => false });
    expect(whole[0]!.promptTokens).toBeGreaterThan(100);
  });

  it('has its answers cut at stop texts, and gives all samples though it ignores `n`', async () => {
    const model = join(directories[0]!, 'model');
    const many = await remoteGenerator({ urls: [served.url], samplesPerRequest: 4, requestsInFlight: 2 })(model);
    try {
      const sameTwice = requests(8, true);
      const completions = await many.sample(sameTwice, { ...SAMPLING, stop: ['e', ' '] });
      expect(completions.map(({ id }) => id)).toEqual(sameTwice.map(({ id }) => id));
      for (const { text } of completions) expect(text).not.toMatch(/[e ]/);
    } finally {
      await many.close();
    }
  });

  it('without a chat template is an error that says so', async () => {
    const without = await serve(false);
    try {
      expect(await without.generator.sample(requests(1, false), SAMPLING)).toHaveLength(1);
      await expect(without.generator.sample(requests(1, true), SAMPLING)).rejects.toMatchObject({ code: 'STP1303' });
    } finally {
      await without.generator.close();
    }
  });

  it('is evaluated end to end: answers without a proof are counted as such', async () => {
    const data = join(directories[0]!, 'data', 'problems', 'two');
    const statements = [0, 1].map((index) => {
      const { header, statement } = stated(index);
      const id = statementId(header, statement);
      return { id, name: `t${index}`, header, statement, split: 'held-out', labels: ['two'], weight: 1 };
    });
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'statements.jsonl'), statements.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const run = join(directories[0]!, 'run');
    const result = await stp(
      ['eval', '--model', 'served:stp/tiny-qwen', '--format', 'goedel-prover-v2', '--problems', 'two', '--samples', '3']
        .concat(['--set', 'sampling.maxTokens=40', '--set', 'sampling.price={"prompt":1,"answer":2}'])
        .concat(['--preset', 'smoke', '--run-dir', run]),
      { env: { STP_DATA: join(directories[0]!, 'data'), STP_GENERATOR_URL: served.url } },
    );
    expect(result.exitCode, String(result.all)).toBe(0);
    const report = evaluationReportSchema.parse(JSON.parse(await readFile(join(run, 'evaluation.json'), 'utf8')));
    expect(report.samples).toBe(6);
    expect(report.verdicts).toEqual({ no_proof: 6 });
    expect(report.tokens).toBeGreaterThan(0);
    expect(report.promptTokens).toBeGreaterThan(600);
    expect(report.cost).toBeCloseTo((2 * report.tokens! + report.promptTokens!) / 1e6, 12);
    expect(result.all).toContain('tokens of answers');
  });
});
