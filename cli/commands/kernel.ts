/** `bin/stp kernel …`: the second kernel. */

import { DEFAULT_LIMITS, STANDARD_AXIOMS } from '@stp/lean-kernel/defaults';
import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../shared/options.ts';

export function addKernelCommand(program: Command): void {
  program
    .command('kernel')
    .description('Check exported Lean declarations with the second kernel. Exit 0: accepted; 1: rejected; 2: declined.')
    .argument('[files...]', 'exports of lean4export 3.1, .ndjson or .ndjson.gz, checked as one environment')
    .option('--olean <file>', 'a module that Lean compiled (`lean -o`), checked over its imports, instead of exports')
    .option('--search-path <folder>', 'with --olean: folder of imported modules; may be repeated', folder)
    .option('--json', 'print the report as JSON on stdout')
    .option(
      '--axioms <names>',
      `axioms that theorems may rest on, separated by commas; "all" for any`,
      STANDARD_AXIOMS.join(','),
    )
    .option(
      '--statement <name=file>',
      'the theorem must equal the one in this trusted export; may be repeated',
      statement,
    )
    .option(
      '--fuel <n>',
      'steps for one declaration before it is declined',
      wholeNumber('steps', 1, Number.MAX_SAFE_INTEGER),
      DEFAULT_LIMITS.fuel,
    )
    .action(async (files: string[], options, command: Command) => {
      if ((options.olean === undefined) === (files.length === 0))
        command.error('error: give export files, or one compiled module with --olean');
      if (options.olean !== undefined) {
        if (options.statement !== undefined) command.error('error: --statement goes with export files');
        process.exitCode = await (await import('../verify/kernel-module.ts')).kernelModule(options);
        return;
      }
      process.exitCode = await (await import('../verify/kernel.ts')).kernel(files, options);
    });
}

type Statement = readonly [name: string, file: string];

function statement(value: string, previous: readonly Statement[] = []): readonly Statement[] {
  const at = value.indexOf('=');
  if (at <= 0 || at === value.length - 1) throw new InvalidArgumentError('Give NAME=FILE.');
  return [...previous, [value.slice(0, at), value.slice(at + 1)]];
}

function folder(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
