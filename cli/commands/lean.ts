/** `bin/stp lean …`: the verification service. */
import { availableParallelism } from 'node:os';
import { DEFAULT_LIMITS } from '@stp/lean-verifier/defaults';
import { type Command, Option } from 'commander';
import { portValue, wholeNumber } from '../shared/options.ts';

const MEBIBYTE = 1_048_576;

export function addLeanCommands(program: Command): void {
  const lean = program.command('lean').description('Serve Lean over HTTP.');
  lean
    .command('serve')
    .description("Check Lean sources over HTTP with Kimina's contract, until Ctrl-C; see docs/lean-service.md.")
    .option(
      '--host <host>',
      'address to listen on; addresses beyond this machine require keys in STP_LEAN_SERVE_KEYS',
      '127.0.0.1',
    )
    .option('--port <n>', 'port to listen on', portValue, 8000)
    .addOption(
      new Option('--driver <name>', 'how to run Lean: warm language servers, or one `lean --json` per check')
        .choices(['server', 'json'])
        .default('server'),
    )
    .option(
      '--processes <n>',
      'Lean processes at once; by default one per core, and one core is left free',
      wholeNumber('processes', 1, 1_024),
      Math.max(1, availableParallelism() - 1),
    )
    .option(
      '--memory-mb <n>',
      'memory of one process, MiB; Mathlib needs 8192 or more',
      wholeNumber('memory', 256, 1_048_576),
      DEFAULT_LIMITS.memoryBytesMax / MEBIBYTE,
    )
    .option(
      '--wait-seconds <n>',
      'longest wait for a free process before 429',
      wholeNumber('seconds', 1, 3_600),
      DEFAULT_LIMITS.waitMs / 1_000,
    )
    .option(
      '--timeout-seconds <n>',
      'longest timeout that a request may ask for',
      wholeNumber('seconds', 1, 86_400),
      DEFAULT_LIMITS.timeoutSecondsMax,
    )
    .option(
      '--max-requests <n>',
      'open requests at once; more get 429',
      wholeNumber('requests', 1, 65_536),
      DEFAULT_LIMITS.requestsInFlight,
    )
    .addOption(
      new Option('--sandbox <policy>', 'whether Lean runs in a sandbox')
        .choices(['required', 'where-available', 'off'])
        .default('required'),
    )
    .option('--no-key', 'serve every client without a key, on any host')
    .action(async (options) => {
      process.exitCode = await (await import('../verify/lean-serve.ts')).serveLean(options);
    });
}
