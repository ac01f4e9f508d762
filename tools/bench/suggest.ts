/**
 * Suggestions: calls a second of eight clients and the median of one call, on goals of the library and on the goals that llmstep
 * publishes, beside a loop that samples one by one with the same weights in PyTorch, without a cache and without a check, as
 * llmstep's server does. Then what the language-server proxy adds to a message.
 *
 * The weights are fresh, so that samples are as long as they may be, and what is suggested comes from the portfolio.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import {
  AnswerCache,
  modelEngine,
  openLeanPlaces,
  portfolioEngine,
  Suggester,
  startSuggestServer,
  suggestionProcesses,
} from '@stp/editor';
import { embeddedGenerator } from '@stp/language-model';
import { readModel } from '@stp/language-model/testing';
import { readGoalTexts } from '@stp/lean-explore';
import { LIBRARY_HEADER, readFrames } from '@stp/lean-verifier';
import { plainStateForm } from '@stp/selfplay';
import { skipsPython } from '../../test/python/python.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { median, row } from './measure.ts';
import { freshCheckpoint } from './model-sampling.ts';
import { startPython } from './python-worker.ts';

const GOALS = 32;
const CLIENTS = 8;
/** As llmstep's servers have it. */
const SAMPLES = 10;
const TEMPERATURE = 0.5;
const MAX_TOKENS = 24;
/** Editors ask again: each goal three times. */
const REFRESHES = 3;
/** As `suggest serve` has by default. */
const PROCESSES = suggestionProcesses();
const MESSAGES = 2_000;
const WARM_MESSAGES = 20;
const MESSAGE_CHARS = 2_000;

/** Goals one to a line, as `suggestion-cases.jsonl` of llmstep has them; none where the variable names no file. */
const CASES_VARIABLE = 'STP_LLMSTEP_CASES';

export async function benchSuggest(directory: string): Promise<void> {
  const library = (await repositorySources().tracedProofs())
    .flatMap(({ steps }) => steps.flatMap(({ before }) => (before === undefined ? [] : [before])))
    .filter((text, index, all) => all.indexOf(text) === index);
  const spread = Math.floor(library.length / GOALS);
  const goals = Array.from({ length: GOALS }, (_, index) => library[index * spread]!);
  const checkpoint = join(directory, 'suggest');
  await freshCheckpoint(checkpoint, resolveConfig({ preset: 'embedded' }).model, library.slice(0, 400));
  await benchCalls(directory, checkpoint, 'goals of the library', goals);
  const cases = await readFile(process.env[CASES_VARIABLE] ?? '', 'utf8').catch(() => null);
  if (cases === null) console.log(`${CASES_VARIABLE} names no file: llmstep's own goals are left out`);
  else
    await benchCalls(
      directory,
      checkpoint,
      "llmstep's goals",
      cases.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line).tactic_state as string])),
    );
  await benchProxy();
}

/** What `stp suggest serve` opens, with fresh weights. */
async function openSuggester(directory: string, checkpoint: string, cacheEntries: number): Promise<Suggester> {
  const environment = await leanEnvironment(workerSettings(), () => undefined);
  const generator = await embeddedGenerator({ threads: 1, runMark: 'bench', staysWarm: true })(checkpoint);
  const model = { name: 'fresh', prompt: 'state' as const, temperatures: [TEMPERATURE], samples: SAMPLES };
  return new Suggester({
    engines: [modelEngine(generator, { ...model, maxTokens: MAX_TOKENS }), portfolioEngine()],
    places: openLeanPlaces(PROCESSES, {
      environment,
      workingDirectory: directory,
      memoryBytesMax: 3_221_225_472,
      heartbeatsMax: 200_000,
    }),
    cache: new AnswerCache(cacheEntries, null),
    limits: { stepMs: 2_000, checkMs: 4_000, engineMs: 20_000, answerMs: 2_000 },
    header: LIBRARY_HEADER,
    environment: environment.fingerprint,
    modules: async () => (await repositorySources().modules()).map(({ text }) => text),
  });
}

async function benchCalls(
  directory: string,
  checkpoint: string,
  name: string,
  goals: readonly string[],
): Promise<void> {
  const suggester = await openSuggester(directory, checkpoint, 4_096);
  const server = await startSuggestServer({
    suggester,
    host: '127.0.0.1',
    port: 0,
    keys: [],
    anyHost: false,
    modelNames: [],
    searchSeconds: 0,
    requestsInFlight: 64,
    requestTimeoutMs: 60_000,
    onError: console.error,
  });
  const call = async (goal: string): Promise<number> => {
    const began = performance.now();
    const body = JSON.stringify({ tactic_state: goal, prefix: '', context: '' });
    const response = await fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.json();
    if (response.status !== 200) throw new Error(`the server answered ${response.status}`);
    return performance.now() - began;
  };
  await call('⊢ 1 = 1');
  const first: number[] = [];
  const began = performance.now();
  const queue = [...goals];
  const lanes = (work: readonly string[], took: number[]) => {
    const left = [...work];
    return Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let goal = left.shift(); goal !== undefined; goal = left.shift()) took.push(await call(goal));
      }),
    );
  };
  await lanes(queue, first);
  const firstSeconds = (performance.now() - began) / 1_000;
  row(`${name}: first calls, ${CLIENTS} clients`, goals.length / firstSeconds, 'calls/s', 2);
  const again: number[] = [];
  await lanes(Array.from({ length: REFRESHES - 1 }, () => goals).flat(), again);
  const seconds = (performance.now() - began) / 1_000;
  row(`${name}: each goal ${REFRESHES} times, ${CLIENTS} clients`, (REFRESHES * goals.length) / seconds, 'calls/s', 2);
  row('  p50 of all these calls', median([...first, ...again]), 'ms');
  row('  p50 of a first call among eight', median(first), 'ms');
  row('  p90 of a first call among eight', at(first, 0.9), 'ms');
  await server.close();
  await suggester.close();
  await benchAlone(directory, checkpoint, goals);
  if (skipsPython('the loop of PyTorch')) return;
  const python = startPython('bench_sampling.py');
  const { tokenizer } = await readModel(checkpoint);
  const prompts = goals.map((goal) => tokenizer.encode(plainStateForm(readGoalTexts(goal)![0]!).prompt));
  await python.ask({ directory: checkpoint, prompts: [prompts[0]!], temperature: TEMPERATURE, topP: 1, maxTokens: 2 });
  const loop = performance.now();
  for (const prompt of prompts)
    for (let sample = 0; sample < SAMPLES; sample++)
      await python.ask({
        directory: checkpoint,
        prompts: [prompt],
        temperature: TEMPERATURE,
        topP: 1,
        maxTokens: MAX_TOKENS,
      });
  const others = goals.length / ((performance.now() - loop) / 1_000);
  row(`${name}: PyTorch, one sample after the other`, others, 'calls/s', 2);
  row('  first calls of eight clients, as a multiple', goals.length / firstSeconds / others, '', 1);
  row(`  each goal ${REFRESHES} times, as a multiple`, (REFRESHES * goals.length) / seconds / others, '', 1);
  python.close();
}

/** One client, one goal after the other, nothing cached. */
async function benchAlone(directory: string, checkpoint: string, goals: readonly string[]): Promise<void> {
  const suggester = await openSuggester(directory, checkpoint, 1);
  const took: number[] = [];
  let closed = 0;
  for (const goal of ['⊢ 1 = 1', ...goals]) {
    const began = performance.now();
    const request = { tacticState: goal, prefix: '', context: '', searchSeconds: 0, answerSeconds: null, all: false };
    const { suggestions } = await suggester.suggest(request, new AbortController().signal);
    took.push(performance.now() - began);
    if (took.length > 1 && suggestions[0]?.class === 'done') closed += 1;
  }
  row('  p50 of a first call, one client', median(took.slice(1)), 'ms');
  row('  p90 of a first call, one client', at(took.slice(1), 0.9), 'ms');
  row('  goals closed', closed, `of ${goals.length}`);
  await suggester.close();
}

/** There and back through `suggest lsp` in front of `cat`, and without it; in turns, so that other work on the machine meets both. */
export async function benchProxy(): Promise<void> {
  const main = join(REPOSITORY, 'cli', 'main.ts');
  const direct = startEcho(['cat']);
  const proxied = startEcho([process.execPath, main, 'suggest', 'lsp', '--url', 'http://127.0.0.1:9', 'cat']);
  const times: Record<'direct' | 'proxied', number[]> = { direct: [], proxied: [] };
  // The first ones wait for the program.
  for (let count = 0; count < WARM_MESSAGES; count++) await Promise.all([direct.trip(), proxied.trip()]);
  for (let count = 0; count < MESSAGES; count++) {
    times.direct.push(await direct.trip());
    times.proxied.push(await proxied.trip());
  }
  await Promise.all([direct.close(), proxied.close()]);
  for (const share of [0.5, 0.99]) {
    row(`messages there and back: p${100 * share}`, at(times.direct, share), 'ms', 2);
    row(`  through the proxy: p${100 * share}`, at(times.proxied, share), 'ms', 2);
  }
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * times.length)]!;

function startEcho([program, ...words]: readonly string[]) {
  const child = spawn(program!, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  let heard: () => void = () => {};
  child.stdout.on(
    'data',
    readFrames(() => heard(), console.error),
  );
  const message = { jsonrpc: '2.0', method: '$/lean/fileProgress', params: { text: 'x'.repeat(MESSAGE_CHARS) } };
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  return {
    /** What one message takes, ms. */
    async trip(): Promise<number> {
      const began = performance.now();
      await new Promise<void>((resolve) => {
        heard = resolve;
        child.stdin.write(frame);
      });
      return performance.now() - began;
    },
    async close(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await ended;
    },
  };
}
