/** `bin/stp lean …`: the verification service. */
import type { Command } from 'commander';

export function addLeanCommands(program: Command): void {
  program.command('lean').description('The Lean verification service.');
}
