/** `bin/stp mcp`: a server of the Model Context Protocol. */
import type { Command } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { leanOptions } from './verify.ts';

export function addMcpCommand(program: Command): void {
  leanOptions(program.command('mcp'))
    .description(
      'Serve checks, proofs, goals, tactics and search to an agent by the Model Context Protocol, over standard input and output, or over HTTP with --port; see docs/mcp.md.',
    )
    .option('--project <folder>', 'folder of a Lean project; files outside it are refused', '.')
    .option('--port <n>', 'serve streamable HTTP on this port; 0 takes a free one', wholeNumber('a port', 0, 65_535))
    .option('--host <host>', 'with --port: address to listen on; beyond this machine keys in STP_MCP_KEYS', '127.0.0.1')
    .option('--no-key', 'with --port: serve every client without a key, on any host')
    .option('--max-calls <n>', 'open calls at once; more are refused', wholeNumber('calls', 1, 1_024), 32)
    .action(async (options) => {
      process.exitCode = await (await import('../verify/mcp.ts')).serveMcp({ ...options, version: program.version()! });
    });
}
