/**
 * Scratch folders of commands (`bin/stp check`, `verify`, `lean serve`, `suggest serve`), and leftovers of killed commands: their
 * folders, their Lean processes, and the control groups of these. A folder's name gives its owner from the moment it
 * exists: `COMMAND@PID.START.NAMESPACE.BOOT.HOST-RANDOM`. The owner is dead if no process of that pid and start time
 * runs, or if this host has restarted since. This process cannot check an owner in another PID namespace or on another
 * host, so folders of such owners stay.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type RunMark, type RunOwner, writeRunMark } from '../../data/run-mark.ts';
import { isOwnerGone, ownerOfThisProcess } from '../processes.ts';
import { endControlGroups } from './control-groups.ts';
import { endMarkedProcesses } from './marked-processes.ts';

/** What stands in folders and marks in place of a run; runs carry a hash behind their name, so none is called so. */
const COMMANDS = ['check', 'lean-serve', 'suggest', 'verify'] as const;
export type ScratchCommand = (typeof COMMANDS)[number];

const FOLDER = /^([a-z-]+)@(\d+)\.(\d+)\.(\d+)\.([0-9a-f]{8})\.([0-9a-f]{8})-[A-Za-z0-9]+$/;

export interface CommandScratch {
  readonly directory: string;
  /** For the Lean processes of the command. */
  readonly runMark: string;
  remove(): Promise<void>;
}

/** A new folder in `scratchDirectory`, which is made where it is not there. */
export async function openCommandScratch(scratchDirectory: string, command: ScratchCommand): Promise<CommandScratch> {
  const owner = await ownerOfThisProcess();
  await mkdir(scratchDirectory, { recursive: true });
  const directory = await mkdtemp(join(scratchDirectory, `${await folderName(command, owner)}-`));
  // If the process ends before it calls `remove`: after an unexpected error, or after a second signal.
  const removeAtExit = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  return {
    directory,
    runMark: writeRunMark(command, owner, 'lean'),
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
  for (const entry of entries)
    if (entry.isDirectory() && (await isOrphan(entry.name))) orphans.push(join(scratchDirectory, entry.name));
  return orphans;
}

async function isOrphan(name: string): Promise<boolean> {
  const [, command, pid, startTicks, pidNamespace, boot, host] = FOLDER.exec(name) ?? [];
  if (command === undefined || pidNamespace === undefined || !isCommand(command)) return false;
  if (boot !== (await thisBoot())) return host === thisHost();
  return isOwnerGone({ pid: Number(pid), startTicks: Number(startTicks), pidNamespace });
}

async function folderName(command: ScratchCommand, owner: RunOwner): Promise<string> {
  const { pid, startTicks, pidNamespace } = owner;
  return `${command}@${pid}.${startTicks}.${pidNamespace}.${await thisBoot()}.${thisHost()}`;
}

/** Another one after each start of the machine. The same where the kernel gives none: then the pid decides. */
async function thisBoot(): Promise<string> {
  return shortHash(await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''));
}

function thisHost(): string {
  return shortHash(hostname());
}

function shortHash(text: string): string {
  return createHash('sha256').update(text.trim()).digest('hex').slice(0, 8);
}

function isCommand(name: string): boolean {
  return COMMANDS.some((command) => command === name);
}
