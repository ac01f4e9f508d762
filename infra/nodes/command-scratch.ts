/**
 * Scratch folders of commands (`bin/stp check`, `data prepare`, `verify`, `lean serve`, `suggest serve`), and leftovers of killed commands: their
 * folders, their Lean processes, and the control groups of these. A folder's name gives its owner (`owned-folders.ts`).
 */
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunMark, writeRunMark } from '@stp/base/files';
import { makeOwnedFolder, orphanPrefix } from '../owned-folders.ts';
import { isOwnerGone, ownerOfThisProcess } from '../processes.ts';
import { endControlGroups } from './control-groups.ts';
import { endMarkedProcesses } from './marked-processes.ts';

/** Names that stand in folders and marks in place of a run; runs carry a hash behind their name, so none is called so. */
const COMMANDS = ['certificate', 'check', 'data', 'lean-serve', 'mcp', 'suggest', 'verify'] as const;
export type ScratchCommand = (typeof COMMANDS)[number];

export interface CommandScratch {
  readonly directory: string;
  /** For the Lean processes of the command. */
  readonly runMark: string;
  remove(): Promise<void>;
}

/** A new folder in `scratchDirectory`, which is made where it is not there. */
export async function openCommandScratch(scratchDirectory: string, command: ScratchCommand): Promise<CommandScratch> {
  const directory = await makeOwnedFolder(scratchDirectory, command);
  // If the process ends before it calls `remove`: after an unexpected error, or after a second signal.
  const removeAtExit = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  return {
    directory,
    runMark: writeRunMark(command, await ownerOfThisProcess(), 'lean'),
    async remove() {
      await rm(directory, { recursive: true, force: true });
      process.off('exit', removeAtExit);
    },
  };
}

export interface Leavings {
  readonly processes: number;
  readonly folders: number;
}

/**
 * Ends and removes the leftovers of dead commands. A leftover that cannot be removed stays: no work depends on it.
 * Rejects with STP1601 where a process does not end.
 */
export async function removeLeavings(scratchDirectory: string): Promise<Leavings> {
  const isMeant = async ({ run, owner }: RunMark): Promise<boolean> =>
    isCommand(run) && owner !== null && (await isOwnerGone(owner));
  // Processes first: they may still write there.
  const ended = await endMarkedProcesses({
    what: 'Lean processes of commands that are gone',
    isMeant: ({ mark }) => isMeant(mark),
  });
  const inGroups = await endControlGroups(isMeant);
  let folders = 0;
  for (const folder of await orphanFolders(scratchDirectory)) {
    const isRemoved = await rm(folder, { recursive: true, force: true, maxRetries: 3 }).then(
      () => true,
      () => false,
    );
    if (isRemoved) folders += 1;
  }
  return { processes: ended.processes + inGroups, folders };
}

/** Scratch folders of commands that are gone. */
export async function orphanFolders(scratchDirectory: string): Promise<string[]> {
  const entries = await readdir(scratchDirectory, { withFileTypes: true }).catch(() => []);
  const orphans: string[] = [];
  for (const entry of entries) {
    const command = entry.isDirectory() ? await orphanPrefix(entry.name) : null;
    if (command !== null && isCommand(command)) orphans.push(join(scratchDirectory, entry.name));
  }
  return orphans;
}

function isCommand(name: string): boolean {
  return COMMANDS.some((command) => command === name);
}
