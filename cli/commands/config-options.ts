/** The options of every command that takes the configuration of a run. */
import { presetNames } from '@stp/config';
import { type Command, Option } from 'commander';
import { keyValue, seedValue } from '../shared/options.ts';

export function configOptions(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', `settings to start from: ${presetNames().join(', ')}`).default('embedded'))
    .option('--seed <n>', 'seed of every random choice of the run', seedValue)
    .option('--set <key=value>', 'set one value of the configuration; may be repeated', keyValue)
    .option('--config <file>', 'JSON file with any part of the configuration');
}
