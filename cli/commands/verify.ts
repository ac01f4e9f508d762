/** `bin/stp verify`: verdicts on proofs from elsewhere. */
import { availableParallelism } from 'node:os';
import { MEMORY_BYTES_MAX } from '@stp/lean-verifier/defaults';
import { type Command, Option } from 'commander';
import { secondsValue, wholeNumber } from '../options.ts';

const MEBIBYTE = 1_048_576;

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description(
      'Judge proofs: one JSON object {"id", "header", "statement", "proof"} a line, one verdict per row, in order. Exit 0: all judged; 2: some rows invalid or not judged. See docs/verify.md.',
    )
    .argument(
      '<file>',
      'JSON Lines file, or - for standard input; a row without header, or with null, gets the library header',
    )
    .option(
      '--certify',
      'also certify each proof: compile it in a file, and let every installed checker judge the object',
    )
    .option('--json', 'one JSON object per row: id, verdict, certified, axioms, checks, message')
    .option('--keep', 'the same, with the further keys of each row under row')
    .option(
      '--timeout <seconds>',
      'wall time for the whole command, 1 to 86400; what is left then is not judged (default: no limit)',
      secondsValue,
    )
    .option(
      '--processes <n>',
      'Lean processes at once (default: one per core)',
      wholeNumber('processes', 1, 1_024),
      availableParallelism(),
    )
    .option(
      '--memory-mb <n>',
      'memory of one process, MiB; Mathlib needs 8192 or more',
      wholeNumber('memory', 256, 1_048_576),
      MEMORY_BYTES_MAX / MEBIBYTE,
    )
    .addOption(
      new Option('--sandbox <policy>', 'whether Lean runs in a sandbox while it reads the proofs')
        .choices(['required', 'where-available', 'off'])
        .default('where-available'),
    )
    .action(async (file, options) => {
      process.exitCode = await (await import('../verify.ts')).verify(file, options);
    });
}
