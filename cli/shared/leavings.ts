/** Removes files and processes of killed commands, and reports them if there were any. */
import { StpError } from '@stp/base';
import { removeLeavings } from '../../infra/nodes/command-scratch.ts';

/** Describes what was removed, in words; empty if there was nothing. */
export async function leavingsText(scratchDirectory: string): Promise<string> {
  const { processes, folders } = await removeLeavings(scratchDirectory);
  const parts = [counted(processes, 'process', 'processes'), counted(folders, 'scratch folder', 'scratch folders')];
  const found = parts.filter((part) => part !== '').join(' and ');
  return found === '' ? '' : `removed what a command that was killed had left: ${found}`;
}

/** Reports to standard error. A failed removal is reported and does not stop the command. */
export async function sayRemoved(scratchDirectory: string): Promise<void> {
  try {
    const text = await leavingsText(scratchDirectory);
    if (text !== '') console.error(text);
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    console.error(error.toText());
  }
}

function counted(count: number, one: string, several: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : several}`;
}
