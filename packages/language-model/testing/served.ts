/**
 * A small checkpoint behind a real server on this machine, and a remote engine on it. All of it lives until the end of the
 * test file, since starting an engine's process costs more than most tests.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAI } from 'openai';
import { afterAll } from 'vitest';
import { writeCheckpoint } from '../checkpoint/checkpoint.ts';
import { embeddedGenerator } from '../embedded/engine.ts';
import type { Generator } from '../generator.ts';
import { type RemoteOptions, remoteGenerator } from '../remote/openai/engine.ts';
import { DEFAULT_LIMITS, type ServeLimits } from '../serve/limits.ts';
import { ServedModel } from '../serve/served-model.ts';
import { type RunningServer, startModelServer } from '../serve/server.ts';
import { smallCheckpoint } from './small-checkpoint.ts';

const closers: (() => Promise<void>)[] = [];

/** Called at the end of the test file, the last one first. */
export function atEnd(close: () => Promise<void>): void {
  closers.push(close);
}

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

export async function checkpointDirectory(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'stp-serve-'));
  atEnd(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, 'small');
  await writeCheckpoint(directory, smallCheckpoint());
  return directory;
}

export async function openEmbedded(directory: string, runMark?: string): Promise<Generator> {
  const options = { threads: 1, batchSize: 8, ...(runMark === undefined ? {} : { runMark }) };
  const generator = await embeddedGenerator(options)(directory);
  atEnd(() => generator.close());
  return generator;
}

export interface Served {
  readonly server: RunningServer;
  readonly client: OpenAI;
  /** Failures that the server told its log. */
  readonly failures: unknown[];
}

export interface ServedOptions {
  readonly keys?: readonly string[];
  readonly limits?: Partial<ServeLimits>;
  readonly name?: string;
}

/** Serves `generator`; `directory` is the checkpoint it was opened on. */
export async function serveGenerator(
  generator: Generator,
  directory: string,
  { keys = [], limits = {}, name }: ServedOptions = {},
): Promise<Served> {
  const failures: unknown[] = [];
  const server = await startModelServer({
    model: await ServedModel.open(generator, directory, name),
    host: '127.0.0.1',
    port: 0,
    keys,
    limits: { ...DEFAULT_LIMITS, ...limits },
    onError: (error) => failures.push(error),
  });
  atEnd(() => server.close());
  return { server, failures, client: clientOf(server.url, keys[0]) };
}

export function clientOf(url: string, apiKey = 'none'): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** Tries again after milliseconds: what is tested is that it does, not how long it waits. */
export async function openRemote(
  url: string | readonly string[],
  directory: string,
  options: Partial<RemoteOptions> = {},
) {
  const generator = await remoteGenerator({
    urls: [url].flat().map((root) => `${root}/v1`),
    firstRetryMs: 2,
    ...options,
  })(directory);
  atEnd(() => generator.close());
  return generator;
}
