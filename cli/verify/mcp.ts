/**
 * `stp mcp`: serves the Model Context Protocol for a project folder, over standard input and output or HTTP
 * (docs/mcp.md).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxPolicy } from '@stp/lean-verifier';
import {
  createServer,
  KeptCertificates,
  OpenCalls,
  ProjectFolder,
  serveHttp,
  serveStdio,
  type Workbench,
} from '@stp/mcp';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { clientKeys, sayError, serveUntilStopped } from '../shared/serving.ts';
import { codeOfStoppable, stopSignal } from '../shared/stop-signals.ts';
import { SharedLean } from './mcp-lean.ts';

/** Comma-separated keys of clients. */
const MCP_KEYS_VARIABLE = 'STP_MCP_KEYS';
const MEBIBYTE = 1_048_576;
/** Size of the largest file with every character escaped. */
const MESSAGE_BYTES_MAX = 4 * MEBIBYTE;
const LAKE_FILES = ['lakefile.toml', 'lakefile.lean', 'lake-manifest.json'] as const;

export interface McpOptions {
  readonly project: string;
  readonly version: string;
  readonly port?: number;
  readonly host: string;
  /** False under `--no-key`: serve clients without keys. */
  readonly key: boolean;
  readonly processes: number;
  readonly memoryMb: number;
  readonly sandbox: SandboxPolicy;
  readonly maxCalls: number;
}

/**
 * Returns the exit code: 0 at the end of the client's input, or after a stop on request. Standard output belongs to
 * the client.
 */
export async function serveMcp(options: McpOptions): Promise<number> {
  const stop = stopSignal();
  const keys = options.port === undefined ? [] : clientKeys(MCP_KEYS_VARIABLE, options);
  const folder = await ProjectFolder.open(options.project);
  const own = workerSettings();
  const isLake = LAKE_FILES.some((name) => existsSync(join(folder.root, name)));
  // An explicitly named project takes precedence: this folder's files may import its modules.
  const settings = own.leanProject === null && isLake ? { ...own, leanProject: folder.root } : own;
  await sayRemoved(settings.scratchDirectory);
  const lean = new SharedLean(settings, {
    processes: options.processes,
    memoryBytesMax: options.memoryMb * MEBIBYTE,
    sandbox: options.sandbox,
    folder,
  });
  const bench: Workbench = {
    folder,
    certificates: new KeptCertificates(),
    libraryTexts: async () => (await repositorySources().modules()).map(({ text }) => text),
    withLean: (call, work) => lean.use(call, work),
  };
  const open = new OpenCalls();
  const create = (signalOf: () => AbortSignal | undefined = () => undefined) =>
    createServer(bench, open, {
      version: options.version,
      callsMax: options.maxCalls,
      signal: stop,
      signalOf,
      onError: sayError,
    });
  try {
    return await codeOfStoppable(async () => {
      if (options.port === undefined) {
        const { stdin: input, stdout: output } = process;
        await serveStdio(create(), { input, output, messageBytesMax: MESSAGE_BYTES_MAX, signal: stop });
      } else {
        const { host, port, key } = options;
        const bodyBytesMax = MESSAGE_BYTES_MAX;
        const http = await serveHttp({ host, port, keys, anyHost: !key, bodyBytesMax, createServer: create });
        const lines = [`serving the Model Context Protocol on ${http.url} for ${folder.root}`];
        await serveUntilStopped([http], { lines, keyVariable: MCP_KEYS_VARIABLE, keys, stop });
      }
      return 0;
    });
  } finally {
    await lean.close();
    process.stdin.destroy();
  }
}
