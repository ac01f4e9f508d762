/**
 * Command-line options that make Lean report in a readable way, if this version knows them. Lean fails on an unknown
 * option, so it is run once with the options on an empty file: first with all of them, then with each alone.
 */
import { tmpdir } from 'node:os';
import { readLean } from './its-own-end.ts';
import type { ProcessContext } from './spawn.ts';

const ELABORATION = [
  /** Lean 4.35 stops at its hundredth error, and most candidates cause one. */
  '-DmaxErrors=1000000',
  /** Elaborate declarations one after another, so that each message and the time spent belong to one candidate. */
  '-DElab.async=false',
];
/** By default a server collects messages for 200 ms before it sends them, which would delay every run. */
const REPORTING = ['-Dserver.reportDelayMs=0'];
/**
 * One thread elaborates and one reports. With a single thread Lean reports nothing before it has read the whole file.
 */
const THREADS = '-j2';
const PROBE_TIMEOUT_MS = 60_000;
const PROBE_MEMORY_BYTES_MAX = 2_147_483_648;

const answers = new Map<string, Promise<readonly string[]>>();

/**
 * Arguments after `lean --json`. The options of each executable are found once per process; if it cannot be started,
 * the next call tries again.
 */
export async function commandOptions(processContext: ProcessContext): Promise<string[]> {
  return [THREADS, ...(await knownOptions(processContext, ELABORATION))];
}

/** Arguments after `lean --worker`, before the document's name. */
export async function serverOptions(processContext: ProcessContext): Promise<string[]> {
  return [THREADS, ...(await knownOptions(processContext, [...ELABORATION, ...REPORTING]))];
}

async function knownOptions(processContext: ProcessContext, wanted: readonly string[]): Promise<readonly string[]> {
  const key = JSON.stringify([processContext.environment.executable, wanted]);
  const answer = answers.get(key) ?? askAbout(processContext, wanted, () => answers.delete(key));
  answers.set(key, answer);
  return answer;
}

async function askAbout(
  processContext: ProcessContext,
  wanted: readonly string[],
  onNoAnswer: () => void,
): Promise<readonly string[]> {
  if (await knows(processContext, wanted, onNoAnswer)) return wanted;
  const known: string[] = [];
  for (const option of wanted) if (await knows(processContext, [option], onNoAnswer)) known.push(option);
  return known;
}

async function knows(
  processContext: ProcessContext,
  options: readonly string[],
  onNoAnswer: () => void,
): Promise<boolean> {
  const exit = await readLean({
    ...processContext,
    // The working directory may not exist yet.
    workingDirectory: tmpdir(),
    arguments: ['--stdin', ...options],
    input: 'prelude\n',
    deadlineMs: PROBE_TIMEOUT_MS,
    memoryBytesMax: PROBE_MEMORY_BYTES_MAX,
  });
  if (exit.how !== 'finished') onNoAnswer();
  return exit.how === 'finished' && exit.code === 0;
}
