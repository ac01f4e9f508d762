/** `bin/stp nodes …`: machines, by hand. */
import type { Command } from 'commander';

export function addNodesCommands(program: Command): void {
  program.command('nodes').description('Plan, get, list, clean and give back the machines of runs.');
}
