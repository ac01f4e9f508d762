/** The server over standard input and output: one client, until its input ends. */
import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { BoundedLines } from './bounded-lines.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes of a message. */
  readonly messageBytesMax: number;
  readonly signal: AbortSignal;
}

/** Resolves when the input has ended, or the signal has aborted. The server is closed then. */
export async function serveStdio(
  server: McpServer,
  { input, output, messageBytesMax, signal }: StdioOptions,
): Promise<void> {
  const lines = new BoundedLines(messageBytesMax, (id) => {
    const error = { code: ErrorCode.InvalidRequest, message: `the message is longer than ${messageBytesMax} bytes` };
    output.write(`{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify(error)}}\n`);
  });
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) input.once(event, () => resolve());
    output.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  // The transport's own bound would end the connection; it lies above that of the lines, which are joined to one buffer at most twice.
  const transport = new StdioServerTransport(input.pipe(lines), output, { maxBufferSize: 4 * messageBytesMax });
  await server.connect(transport);
  await ended;
  await server.close();
}
