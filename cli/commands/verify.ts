/** `bin/stp verify`: verdicts on other people's proofs. */
import { availableParallelism } from 'node:os';
import { MEMORY_BYTES_MAX } from '@stp/lean-verifier/defaults';
import { type Command, Option } from 'commander';
import { secondsValue, wholeNumber } from '../shared/options.ts';

const MEBIBYTE = 1_048_576;

export function leanOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--processes <n>', 'Lean processes at once')
        .argParser(wholeNumber('processes', 1, 1_024))
        .default(availableParallelism(), 'one per core'),
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
    );
}

export function addVerifyCommand(program: Command): void {
  leanOptions(program.command('verify'))
    .description(
      'Judge proofs: one JSON object {"id", "header", "statement", "proof"} a line, one verdict per row, in order. Exit 0: all judged; 2: some rows invalid or not judged. See docs/verify.md.',
    )
    .argument(
      '<file>',
      'JSON Lines file, or - for standard input; a row without header, or with null, gets the library header',
    )
    .option('--json', 'one JSON object per row: id, verdict, axioms, checks, message')
    .option('--keep', 'as --json; the further keys of a row are under the key row')
    .option('--certify <folder>', 'write a certificate of each proof there, for `stp certificate check` on any machine')
    .option(
      '--timeout <seconds>',
      'wall time for the whole command, 1 to 86400; what is left then is not judged (default: no limit)',
      secondsValue,
    )
    .action(async (file, options) => {
      process.exitCode = await (await import('../verify/verify.ts')).verify(file, options);
    });
  leanOptions(
    program.command('certificate').description('Certificates of proofs; see docs/certificates.md.').command('check'),
  )
    .description(
      'Judge certificates of `stp verify --certify` again, and say what differs. Exit 0: all confirmed; 1: one says what was not found here; 2: one is unreadable or got no answer.',
    )
    .argument('<files...>', 'certificates')
    .option('--json', 'one JSON object per file: file, verdict, differences, kind, message')
    .option('--other-lean', 'accept another Lean, other checkers and another sandbox than those the file names')
    .option('--timeout <seconds>', 'wall time for the whole command, 1 to 86400 (default: no limit)', secondsValue)
    .action(async (files, options) => {
      process.exitCode = await (await import('../verify/certificate.ts')).checkCertificates(files, options);
    });
}
