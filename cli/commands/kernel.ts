/** `bin/stp kernel …`: the second kernel. */
import type { Command } from 'commander';

export function addKernelCommand(program: Command): void {
  program.command('kernel').description('Check exported or compiled Lean declarations with a kernel of our own.');
}
