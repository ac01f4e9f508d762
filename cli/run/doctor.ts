/**
 * `stp doctor`: reports what this machine has, what a run would use, and why. It removes files and processes of killed
 * commands and changes nothing else. Exit code 1 if a run could not start.
 */
import { availableParallelism, totalmem } from 'node:os';
import { StpError } from '@stp/base';
import { freeBytesOf } from '@stp/base/files';
import { explainToolchain, openSandbox, readLakeProject, type Toolchain } from '@stp/lean-verifier';
import { installedLlamaCpp, SETUP_COMMAND } from '../../infra/llama-cpp/install.ts';
import { findTemporal } from '../../infra/temporal/find.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { leavingsText } from '../shared/leavings.ts';
import { environmentWithoutOurBin } from './temporal.ts';

/** Space for Lean, its library, Temporal and a run of the default preset, with a margin. */
const DISK_BYTES_WANTED = 3e9;
const MEMORY_BYTES_WANTED = 4e9;

export async function doctor(): Promise<number> {
  const settings = workerSettings();
  let healthy = true;
  const say = (good: boolean, what: string, detail: string): void => {
    healthy &&= good;
    console.log(`${good ? 'ok  ' : 'BAD '} ${what.padEnd(10)} ${detail}`);
  };
  say(true, 'Node', `${process.version} (${process.execPath})`);
  say(
    totalmem() >= MEMORY_BYTES_WANTED,
    'machine',
    `${availableParallelism()} cores, ${(totalmem() / 1e9).toFixed(1)} GB of memory (4 GB wanted)`,
  );
  const free = await freeBytesOf(REPOSITORY);
  say(free >= DISK_BYTES_WANTED, 'disk', `${(free / 1e9).toFixed(1)} GB free at ${REPOSITORY} (3 GB wanted)`);
  try {
    const temporal = await findTemporal({
      cacheDirectory: settings.cacheDirectory,
      install: false,
      environment: environmentWithoutOurBin(),
    });
    say(true, 'Temporal', `${temporal.version}, ${temporal.source}: ${temporal.executable}`);
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    say(true, 'Temporal', 'not here yet; `bin/stp setup` or the first run gets it');
  }
  const ways = await explainToolchain({ cacheDirectory: settings.cacheDirectory });
  // If STP_LEAN names a Lean, no other is tried.
  const named = (process.env.STP_LEAN ?? '') !== '';
  const used = ways.find((way) => way.available && (!named || way.way === 'STP_LEAN'));
  say(
    used !== undefined,
    'Lean',
    used === undefined ? 'there is no way to one on this machine' : `${used.way}: ${used.detail}`,
  );
  for (const way of ways)
    console.log(
      `     ${way === used ? '→' : ' '} ${way.way.padEnd(18)} ${way.available ? 'yes' : 'no '}  ${way.detail}`,
    );
  if (settings.leanProject !== null) await describeProject(settings.leanProject, say);
  await describeSandbox(settings.cacheDirectory, used?.toolchain, say);
  const llama = await installedLlamaCpp(settings.cacheDirectory);
  const described =
    llama === null
      ? `not here; ${SETUP_COMMAND} gets it, for GGUF files`
      : `${llama.version}, on ${[llama.device, ...llama.names].join(', ')}`;
  say(true, 'llama.cpp', described);
  await removeLeft(settings.scratchDirectory, say);
  return healthy ? 0 : 1;
}

async function describeProject(
  directory: string,
  say: (good: boolean, what: string, detail: string) => void,
): Promise<void> {
  try {
    const { version, toolchain, searchPath } = await readLakeProject(directory);
    say(true, 'project', `${version}, built with ${toolchain}, ${searchPath.length} packages: ${directory}`);
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    say(false, 'project', error.message);
  }
}

/** Where the configuration allows it, runs start without a sandbox and mark their results as not eligible. */
async function describeSandbox(
  cacheDirectory: string,
  lean: Toolchain | undefined,
  say: (good: boolean, what: string, detail: string) => void,
): Promise<void> {
  if (lean === undefined) return say(true, 'sandbox', 'probed when there is a Lean to start in it');
  const environment = { executable: lean.executable, searchPath: [] };
  const { facts } = await openSandbox('where-available', { cacheDirectory, environment, install: 'never', anew: true });
  if (facts.kind !== 'none') return say(true, 'sandbox', `${facts.description}; the probe passed`);
  const advice = '`bin/stp setup` gets bubblewrap on Debian and Ubuntu. Without it results are not eligible';
  say(true, 'sandbox', `none: ${facts.description}. ${advice}`);
}

async function removeLeft(
  scratchDirectory: string,
  say: (good: boolean, what: string, detail: string) => void,
): Promise<void> {
  try {
    const removed = await leavingsText(scratchDirectory);
    say(true, 'scratch', `${scratchDirectory}${removed === '' ? '' : `; ${removed}`}`);
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    say(false, 'scratch', `${error.message}. ${error.advice}`);
  }
}
