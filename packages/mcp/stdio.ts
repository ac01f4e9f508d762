/** Serves one client over standard input and output, until the input ends. */
import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { BoundedLines } from './bounded-lines.ts';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Maximum bytes of a message. */
  readonly messageBytesMax: number;
  readonly signal: AbortSignal;
}

/** Resolves when the input has ended or the signal has aborted, after closing the server. */
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
  // Exceeding the transport's own limit would end the connection. It is above the limit of a line, of which at most two
  // are joined in one buffer.
  const transport = new StdioServerTransport(input.pipe(lines), output, { maxBufferSize: 4 * messageBytesMax });
  await server.connect(transport);
  await ended;
  await server.close();
}
