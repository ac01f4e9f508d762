/**
 * Starts the Lean service on a free port, with real Lean and its core library. Everything is closed at the end of the
 * test file.
 */
import { rm } from 'node:fs/promises';
import { afterAll } from 'vitest';
import { z } from 'zod';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { openPool } from '../runtime/pool/open-pool.ts';
import type { DriverName } from '../runtime/process/driver.ts';
import { noSandbox } from '../runtime/sandbox/sandbox.ts';
import { DEFAULT_LIMITS, type LeanServeLimits } from '../serve/limits.ts';
import { type RunningLeanServer, startLeanServer } from '../serve/server.ts';
import { checkAnswerSchema, type WireResult } from '../serve/wire.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { driverOf } from './drivers.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

const closers: (() => Promise<unknown>)[] = [];

/** Registers a function to call at the end of the test file, in reverse order. */
export function atEnd(close: () => Promise<unknown>): void {
  closers.push(close);
}

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

export interface Served {
  readonly server: RunningLeanServer;
  readonly pool: LeanPool;
  /** Failures that the server reported to its log. */
  readonly failures: unknown[];
  /** The run mark of this service's Lean processes. */
  readonly runMark: string;
}

export interface ServedOptions {
  readonly driver?: DriverName;
  readonly processes?: number;
  readonly keys?: readonly string[];
  readonly limits?: Partial<LeanServeLimits>;
  readonly environment?: LeanEnvironment;
}

let count = 0;

export async function serveLean(options: ServedOptions = {}): Promise<Served> {
  const { driver = 'json', processes = 2, keys = [] } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const environment = options.environment ?? (await coreEnvironment());
  const workingDirectory = scratchFolder();
  const runMark = `lean-serve-${process.pid}-${count++}`;
  const pool = openPool({
    driver: driverOf(driver, { environment, workingDirectory, runMark }),
    processes,
    memoryBytesMax: limits.memoryBytesMax,
  });
  const failures: unknown[] = [];
  const server = await startLeanServer({
    pool,
    environment,
    driver,
    sandbox: noSandbox('text of the tests').facts,
    host: '127.0.0.1',
    port: 0,
    keys,
    limits,
    privateFolders: [workingDirectory],
    onError: (error) => failures.push(error),
  });
  atEnd(async () => {
    await server.close();
    await pool.close();
    await rm(workingDirectory, { recursive: true, force: true });
  });
  return { server, pool, failures, runMark };
}

export interface Answer {
  readonly status: number;
  readonly body: { readonly results: readonly Record<string, unknown>[]; readonly detail: unknown };
  readonly headers: Headers;
}

/** Sends a POST request. A string body is sent unchanged. */
export async function post(url: string, body: unknown, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
}

/** Checks codes in one request, with their indices as ids. Asserts that the answer matches its schema. */
export async function check(
  server: RunningLeanServer,
  codes: readonly string[],
  more: object = {},
): Promise<WireResult[]> {
  const snippets = codes.map((code, index) => ({ id: String(index), code }));
  const { status, body } = await post(`${server.url}/api/check`, { snippets, timeout: 60, ...more });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return z.strictObject(checkAnswerSchema.shape).parse(body).results;
}
