/**
 * Scratch folders of commands (`bin/stp check`, `data prepare`, `verify`, `lean serve`, `suggest serve`), and leftovers
 * of killed commands: their folders, Lean processes and control groups. A folder's name identifies its owner
 * (`makeOwnedFolder`).
 */
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isOwnerGone,
  makeOwnedFolder,
  orphanPrefix,
  ownerOfThisProcess,
  type RunMark,
  writeRunMark,
} from '@stp/base/files';
import { unwritable } from '../unwritable.ts';
import { endControlGroups } from './control-groups.ts';
import { endMarkedProcesses } from './marked-processes.ts';

/** Names used in folders and marks in place of a run. They cannot equal a run's, which ends in a hash. */
const COMMANDS = ['certificate', 'check', 'data', 'lean-serve', 'mcp', 'suggest', 'verify'] as const;
export type ScratchCommand = (typeof COMMANDS)[number];

export interface CommandScratch {
  readonly directory: string;
  /** Mark for the command's Lean processes. */
  readonly runMark: string;
  remove(): Promise<void>;
}

/** Makes a new folder in `scratchDirectory`, which is created if necessary. Throws STP1401 if it cannot. */
export async function openCommandScratch(scratchDirectory: string, command: ScratchCommand): Promise<CommandScratch> {
  const directory = await makeOwnedFolder(scratchDirectory, command).catch(unwritable(scratchDirectory));
  // Covers a process that ends before it calls `remove`, after an unexpected error or a second signal.
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
 * Ends and removes the leftovers of dead commands. A leftover that cannot be removed stays, since no work depends on
 * it. Throws STP1601 if a process does not end.
 */
export async function removeLeavings(scratchDirectory: string): Promise<Leavings> {
  const isMeant = async ({ run, owner }: RunMark): Promise<boolean> =>
    isCommand(run) && owner !== null && (await isOwnerGone(owner));
  // Processes come first, because they may still write into the folders.
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

/** Returns the scratch folders of dead commands. */
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
