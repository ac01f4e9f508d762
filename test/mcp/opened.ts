/** A copy of the example project, built, and clients of the official SDK for a server on it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { execa } from 'execa';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { REPOSITORY, STP } from '../support/stp.ts';

export interface OpenedProject {
  readonly folder: string;
  build(): Promise<unknown>;
  remove(): Promise<void>;
}

/** `examples/your-project`, compiled by this machine's Lean. */
export async function builtProject(): Promise<OpenedProject> {
  const above = await mkdtemp(join(tmpdir(), 'stp-mcp-'));
  const folder = join(above, 'project');
  await cp(join(REPOSITORY, 'examples', 'your-project'), folder, { recursive: true });
  const { executable } = await leanEnvironment(workerSettings(), () => undefined);
  const build = () => execa(join(folder, 'build.sh'), [executable]);
  await build();
  return { folder, build, remove: () => rm(above, { recursive: true, force: true }) };
}

export interface OpenedClient {
  readonly client: Client;
  readonly pid: number;
  /** Standard error so far. */
  readonly log: () => string;
  /** The structured answer; an error's text in `error`. */
  call(name: string, given: object, options?: CallOptions): Promise<Record<string, unknown>>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

/** Waits longer than any call of the tests takes under load. */
const TIMEOUT_MS = 170_000;

export async function openedClient(folder: string, ...options: readonly string[]): Promise<OpenedClient> {
  const transport = new StdioClientTransport({
    command: STP,
    args: ['mcp', '--project', folder, '--processes', '1', ...options],
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => {
    log += String(chunk);
  });
  const client = new Client({ name: 'stp-test', version: '1.0.0' });
  await client.connect(transport);
  return { client, pid: transport.pid!, log: () => log, call: callOf(client) };
}

/** A server over HTTP on a free port, which the caller kills. `keys`: of its clients, separated by commas. */
export async function servedOverHttp(
  folder: string,
  keys: string | undefined,
): Promise<{ readonly url: URL; readonly child: ChildProcess }> {
  const child = spawn(STP, ['mcp', '--project', folder, '--port', '0', '--processes', '1'], {
    env: { ...process.env, ...(keys === undefined ? {} : { STP_MCP_KEYS: keys }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/u.exec(line)?.[0];
    if (url !== undefined) return { url: new URL(url), child };
  }
  throw new Error('the server said no address');
}

export async function httpClient(url: URL, key: string | null): Promise<Client> {
  const one = new Client({ name: 'stp-test', version: '1.0.0' });
  const headers: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` };
  await one.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
  return one;
}

export function callOf(client: Client): OpenedClient['call'] {
  return async (name, given, { signal, onProgress } = {}) => {
    const asked = { name, arguments: given as Record<string, unknown> };
    const result = (await client.callTool(asked, undefined, {
      timeout: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onprogress: ({ message }) => onProgress(message ?? '') }),
    })) as CallToolResult;
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    if (result.isError === true) return { error: text };
    // Clients of older versions read the text, so it says the same.
    if (JSON.stringify(result.structuredContent) !== text) throw new Error(`${name}: the text says something else`);
    return result.structuredContent!;
  };
}
