/** `bin/stp check`: judges files of theorems. */
import { type Command, Option } from 'commander';
import { secondsValue } from '../shared/options.ts';

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description(
      'Check every theorem of Lean files. Exit 0: all files accepted; 1: some rejected; 2: none rejected, some not checked.',
    )
    .argument(
      '<paths...>',
      'Lean files, or folders: every .lean file below them, but not .lake and links that lead out',
    )
    .option(
      '--timeout <seconds>',
      'wall time for the whole command, 1 to 86400; then Lean is ended, and the remaining files are not checked',
      secondsValue,
      300,
    )
    .option(
      '--json',
      'one JSON object per theorem (file, name, verdict, line, column, message, axioms, meaning), then one per file (file, outcome, reason, theorems, declarations, notes, checks, sandbox)',
    )
    .option(
      '--strict',
      'exit 1 also for a statement that could deceive a reader: it rests on names, instances, hypotheses or notation that it does not show',
    )
    .addOption(
      new Option('--sandbox <policy>', 'whether Lean runs in a sandbox while it reads the files')
        .choices(['required', 'where-available', 'off'])
        .default('where-available'),
    )
    .action(async (paths, options) => {
      process.exitCode = await (await import('../verify/check.ts')).check(paths, options);
    });
}
