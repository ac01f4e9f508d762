/** `bin/stp setup`, `doctor`, `report` and `clean`: this machine, and what runs left on it. */
import { type Command, Option } from 'commander';

export function addInstallationCommands(program: Command): void {
  program
    .command('setup')
    .description('Get Lean and Temporal, compile the library, and print which ones are used and why.')
    .addOption(
      new Option('--with <part>', 'get this part alone: llama-cpp, which samples GGUF files').choices(['llama-cpp']),
    )
    .action(async (options) => (await import('../run/setup.ts')).setup(options));

  program
    .command('doctor')
    .description(
      'Print what this machine has (Lean, Temporal, engines, fetched weights, disk), what a run would use, and why. Removes files and processes of killed commands; changes nothing else.',
    )
    .option('--python <path>', "the trainer's Python (engines.trainer.python)", 'python3')
    .action(async (options) => {
      process.exitCode = await (await import('../run/doctor.ts')).doctor(options);
    });

  program
    .command('report')
    .description(
      'Write the report of a run (finished, running or failed) and compare it with others. Changes nothing in the runs.',
    )
    .argument('<run>', 'folder or URI of the run, or its name')
    .option('--compare <run...>', 'runs to compare it with; runs that differ only in the seed become a mean and a band')
    .option('--out <folder>', 'where report.html and the CSV files go (default: RUN-report, beside the run)')
    .action(async (run, options) => (await import('../run/report.ts')).report(run, options));

  program
    .command('clean')
    .description(
      'End the Lean and model processes of a run on this machine and remove its scratch files. Touches nothing else.',
    )
    .argument('[run]', 'name of the run, or its folder; default: leftovers of dead workers and commands')
    .action(async (run) => (await import('../run/clean.ts')).clean(run));
}
