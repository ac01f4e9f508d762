/** Starts a suggester with real Lean over HTTP for the tests of a file; everything is closed at the end of the file. */
import { rm } from 'node:fs/promises';
import {
  coreEnvironment,
  DRIVER_MEMORY_BYTES_MAX as MEMORY_BYTES_MAX,
  noSandbox,
  scratchFolder,
} from '@stp/lean-verifier/testing';
import { afterAll } from 'vitest';
import { AnswerCache } from '../cache.ts';
import type { Engine, Proposal } from '../engines/engine.ts';
import { portfolioEngine } from '../engines/portfolio-engine.ts';
import { type RunningSuggestServer, type SuggestServerOptions, startSuggestServer } from '../http/server.ts';
import { openLeanPositions } from '../lean-positions.ts';
import { Suggester, type SuggesterOptions } from '../suggester.ts';

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

export const runMark = `test-suggest-${process.pid}`;

/** Returns an engine that proposes the same texts for every goal. */
export function listEngine(name: string, texts: readonly (string | Proposal)[]): Engine {
  return {
    name,
    identity: `${name} ${JSON.stringify(texts)}`,
    propose: async () =>
      texts.map((one) => (typeof one === 'string' ? { text: one, score: null, logprob: null } : one)),
    close: async () => {},
  };
}

export async function suggesterOf(options: Partial<SuggesterOptions> = {}): Promise<Suggester> {
  const environment = await coreEnvironment();
  const workingDirectory = scratchFolder();
  const suggester = new Suggester({
    engines: [portfolioEngine()],
    positions: openLeanPositions(1, {
      environment,
      workingDirectory,
      runMark,
      sandbox: noSandbox('text of the tests'),
      memoryBytesMax: MEMORY_BYTES_MAX,
      heartbeatsMax: 20_000,
    }),
    cache: new AnswerCache(64, null),
    limits: { stepMs: 4_000, checkMs: 30_000, engineMs: 20_000, answerMs: 60_000 },
    header: '',
    environment: environment.fingerprint,
    modules: async () => [],
    ...options,
  });
  closers.push(async () => {
    await suggester.close();
    await rm(workingDirectory, { recursive: true, force: true });
  });
  return suggester;
}

export async function serve(
  suggester: Suggester,
  options: Partial<SuggestServerOptions> = {},
): Promise<RunningSuggestServer> {
  const server = await startSuggestServer({
    suggester,
    host: '127.0.0.1',
    port: 0,
    keys: [],
    anyHost: false,
    modelNames: ['stp'],
    searchSeconds: 0,
    requestsInFlight: 8,
    requestTimeoutMs: 60_000,
    onError: () => {},
    ...options,
  });
  closers.push(() => server.close());
  return server;
}

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer as a client sees it
  readonly body: any;
}

/** Sends a POST request with JSON. Strings and bytes are sent unchanged. */
export async function post(url: string, body: unknown, init: RequestInit = {}): Promise<Posted> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method: 'POST',
    ...init,
    body: raw ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...init.headers },
  });
  return { status: response.status, headers: response.headers, body: JSON.parse((await response.text()) || 'null') };
}
