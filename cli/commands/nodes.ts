/** `bin/stp nodes …`: manages machines by hand. */

import { COMMAND_SECONDS_MAX, isRunName, presetNames } from '@stp/config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyValue, wholeNumber } from '../shared/options.ts';

/** Validates a run's name, which is used as a folder and as a label. */
function runValue(text: string): string {
  if (isRunName(text)) return text;
  throw new InvalidArgumentError('use up to 64 letters, digits, dots, underscores and dashes.');
}

/** Set by the start command itself: every worker has its own queue. */
const OWN = 'STP_HOST_QUEUE';

/** Adds one `--env NAME` or `--env NAME=VALUE`. */
function variableOption(text: string, earlier: readonly string[] = []): readonly string[] {
  const name = text.split('=', 1)[0]!;
  if (!/^[A-Z_][A-Z0-9_]{0,63}$/.test(name)) throw new InvalidArgumentError('write NAME or NAME=VALUE.');
  if (name === OWN) throw new InvalidArgumentError(`${OWN} follows from the name of the machine.`);
  return [...earlier, text];
}

/** Adds the options that select machines. */
function nodesOptions(command: Command): Command {
  return command
    .option('--run <name>', 'the run that the machines belong to', runValue, 'by-hand')
    .option('--config <file>', 'JSON file with any part of the configuration, mostly `nodes`')
    .addOption(
      new Option('--preset <name>', `configuration to start from: ${presetNames().join(', ')}`).default('embedded'),
    )
    .option(
      '--set <key=value>',
      'set one value of the configuration, such as nodes.diskGb=1000; may be repeated',
      keyValue,
    )
    .option('--accelerator <type>', 'TPU slice: v4-8 … v4-4096, v5e-16, v5p-8, v6e-8 …')
    .option('--machine-type <type>', 'GPU instance: a2-highgpu-8g, a3-highgpu-8g, g2-standard-8 …')
    .option('--inventory <file>', 'existing machines: JSON or YAML file of hosts')
    .option('--project <id>', 'Google Cloud project')
    .option('--zone <zone>', 'zone, such as us-central2-b')
    .option('--slices <n>', 'TPU slices to request together')
    .option('--count <n>', 'GPU instances')
    .option('--spot', 'cheaper machines that the cloud may take away at any time')
    .option('--reserved <name>', 'machines of a reservation')
    .option('--hours-max <hours>', 'cost guard: give the machines back after this many hours')
    .option('--valid-until <minutes>', 'how long to wait for capacity')
    .option('--json', 'JSON on standard output');
}

const DRY_RUN = ['--dry-run', 'change nothing: print the requests as JSON with their hourly cost'] as const;

export function addNodesCommands(program: Command): void {
  const nodes = program.command('nodes').description('Plan, get, list, clean and give back the machines of runs.');
  const add = (name: string, description: string): Command =>
    nodesOptions(nodes.command(name)).description(description);

  add('plan', 'Show the requests for machines and their cost. Needs no credentials and sends nothing.')
    .option(...DRY_RUN)
    .action(async (options) => (await import('../nodes/plan.ts')).plan(options));
  add('up', 'Get the machines and wait until they are ready; on machines of an inventory, start workers over ssh.')
    .option(...DRY_RUN)
    .option('--bundle-file <file>', 'with --inventory: archive of the worker (see `nodes bundle --file`)')
    .option(
      '--env <name[=value]>',
      'with --inventory: a variable of the workers, with the value that it has here if none is given; may be repeated',
      variableOption,
    )
    .action(async (options) => (await import('../nodes/lifecycle.ts')).up(options));
  add('ls', 'List the machines of a run, or with --all of all runs.')
    .option('--all', 'list the machines of all runs')
    .action(async (options) => (await import('../nodes/lifecycle.ts')).list(options));
  add('run', 'Run a command on every machine of a run: bin/stp nodes run … -- COMMAND')
    .argument('<command...>', 'program and arguments; no shell reads them')
    .option('--ssh', 'use ssh, for machines of an inventory whose workers do not run')
    .option('--together', 'end the command everywhere when it fails on one machine')
    .option(
      '--timeout <seconds>',
      'longest time for the command',
      wholeNumber('seconds', 1, COMMAND_SECONDS_MAX),
      3_600,
    )
    .action(async (command, options) => (await import('../nodes/work.ts')).run(command, options));
  add('clean', 'On every machine, end the processes of a run and remove its scratch files.').action(async (options) =>
    (await import('../nodes/work.ts')).clean(options),
  );
  add('down', 'Give back all machines of a run and wait until they are deleted; on an inventory, end the workers.')
    .option('--dry-run', 'list what would be given back')
    .action(async (options) => (await import('../nodes/lifecycle.ts')).down(options));
  add('sweep', 'Give back the machines that belong to no open run.')
    .option('--older-than <hours>', 'only machines that are older', wholeNumber('hours', 0, 8_760), 24)
    .option('--force', 'do not ask a Temporal server which runs are open')
    .option('--dry-run', 'list what would be given back')
    .action(async (options) => (await import('../nodes/lifecycle.ts')).sweep(options));
  nodes
    .command('bundle')
    .description(
      'Put the worker that machines install into the store (STP_STORE), and print nodes.bundle and nodes.bundleSha256.',
    )
    .option('--file <file>', 'write it to a file instead, for `nodes up --bundle-file`')
    .option('--json', 'JSON on standard output')
    .action(async (options) => (await import('../nodes/bundle.ts')).bundle(options));
}
