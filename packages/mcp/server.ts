/**
 * The MCP server: one for each connection, over a shared workbench. Limits the number of open calls and the time of
 * each, passes on progress and cancellation, and converts errors to answers.
 */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { HALF_CHARACTER, halfCharacterAt, printableText, StpError } from '@stp/base';
import { certificateText } from '@stp/lean-verifier';
import { z } from 'zod';
import type { Tool } from './tool.ts';
import { checkFile } from './tools/check-file.ts';
import { disprove } from './tools/disprove.ts';
import { explainCertificate } from './tools/explain-certificate.ts';
import { findPremises } from './tools/find-premises.ts';
import { goalsAt } from './tools/goals-at.ts';
import { searchProof } from './tools/search-proof.ts';
import { tryTactics } from './tools/try-tactics.ts';
import { verifyProof } from './tools/verify-proof.ts';
import type { Workbench } from './workbench.ts';

const TOOLS: readonly Tool[] = [
  checkFile,
  verifyProof,
  goalsAt,
  tryTactics,
  searchProof,
  findPremises,
  disprove,
  explainCertificate,
];
/** Maximum number of objects and array elements in a call's arguments. */
const INPUT_ELEMENTS_MAX = 1_000;
/** Additional time for a tool to answer with its results so far once its time is over, ms. */
const GRACE_MS = 5_000;
const CERTIFICATES_LISTED = 100;

export interface ServerOptions {
  readonly version: string;
  /** Maximum number of open calls over all connections. */
  readonly callsMax: number;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
  /** Returns the signal of the request that a call came with, if its connection can end before the server's. */
  readonly signalOf?: () => AbortSignal | undefined;
  /** Receives errors that are not the answer to a call. */
  readonly onError: (error: unknown) => void;
}

/** Counts open calls over all connections. */
export class OpenCalls {
  count = 0;
}

/** Creates a server for one connection. Starts nothing. */
export function createServer(bench: Workbench, open: OpenCalls, options: ServerOptions): McpServer {
  const server = new McpServer(
    { name: 'stp', title: 'stp-selfplay: Lean proofs, judged', version: options.version },
    {
      maxToolInputElements: INPUT_ELEMENTS_MAX,
      instructions: `Tools for Lean 4 in ${bench.folder.root}. Find goals with goals_at, try tactics with try_tactics, look for proofs and premises, and write the file yourself: no tool changes a file. verify_proof and check_file give verdicts that a second kernel has confirmed; the other tools only say what Lean elaborates.`,
    },
  );
  for (const one of TOOLS) addTool(server, one, bench, open, options);
  addCertificates(server, bench);
  return server;
}

function addTool(server: McpServer, tool: Tool, bench: Workbench, open: OpenCalls, options: ServerOptions): void {
  const { name, title, description, input, output } = tool;
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
  server.registerTool(
    name,
    // An unknown argument is an error of the caller.
    { title, description, inputSchema: z.strictObject(input), outputSchema: z.object(output), annotations },
    async (args, extra) => {
      const given = args as Record<string, unknown>;
      const half = halfCharacterAt(given);
      if (half !== null) return failed(`${half.join('.')}: ${HALF_CHARACTER}`);
      if (open.count >= options.callsMax) return failed(`${open.count} calls are open: try again when one has ended.`);
      open.count += 1;
      const seconds = tool.limitSeconds(given);
      const late = AbortSignal.timeout(1_000 * seconds);
      const ended = tool.answersLate ? AbortSignal.timeout(1_000 * seconds + GRACE_MS) : late;
      const request = options.signalOf?.();
      const ends = [extra.signal, options.signal, ended];
      const signal = AbortSignal.any(request === undefined ? ends : [...ends, request]);
      const token = extra._meta?.progressToken;
      let told = 0;
      const tell = (message: string): void => {
        if (token === undefined || signal.aborted) return;
        told += 1;
        const params = { progressToken: token, progress: told, message };
        extra.sendNotification({ method: 'notifications/progress', params }).catch(options.onError);
      };
      try {
        const answer = await tool.run(given, bench, { signal, late, tell });
        // Clients of older protocol versions read only the text.
        return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
      } catch (error) {
        if (ended.aborted) return failed(`not done within ${seconds} seconds; the work was ended`);
        if (error instanceof StpError) return failed(error.toText());
        if (!signal.aborted) options.onError(error);
        return failed(signal.aborted ? 'cancelled' : 'an internal error; the server’s log has it');
      } finally {
        open.count -= 1;
      }
    },
  );
}

const failed = (text: string) => ({ content: [{ type: 'text' as const, text: printableText(text) }], isError: true });

function addCertificates(server: McpServer, { certificates }: Workbench): void {
  const template = new ResourceTemplate('stp-certificate://{id}', {
    list: () => ({
      resources: certificates
        .list()
        .slice(0, CERTIFICATES_LISTED)
        .map(({ uri, file }) => ({ uri, name: file.statement.slice(0, 200), mimeType: 'application/json' })),
    }),
  });
  const about = { title: 'Certificates', description: 'Certificates of the proofs that this server has judged.' };
  server.registerResource('certificate', template, { ...about, mimeType: 'application/json' }, (uri) => {
    const file = certificates.get(uri.href);
    if (file === null)
      throw new StpError('STP1002', `there is no certificate ${uri.href}`, 'List the resources; old ones are dropped.');
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: certificateText(file) }] };
  });
}
