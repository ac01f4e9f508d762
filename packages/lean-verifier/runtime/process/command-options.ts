/**
 * Command-line options that make Lean readable from outside, if this Lean has them. An unknown option is an error, so
 * Lean is tested with them once on an empty file, first with all of them together.
 */
import { tmpdir } from 'node:os';
import { readLean } from './its-own-end.ts';
import type { ProcessPlace } from './spawn.ts';

const ELABORATION = [
  /** Lean 4.35 stops at its hundredth error, and most candidates are one. */
  '-DmaxErrors=1000000',
  /** One declaration after another: a message belongs to the text that is being read, and time to its candidate. */
  '-DElab.async=false',
];
/** A server gathers messages for 200 ms before it sends any; with 0 a run takes what its elaboration takes. */
const REPORTING = ['-Dserver.reportDelayMs=0'];
/** One thread elaborates and one reports; with one alone, Lean reports nothing before it has read the whole file. */
const THREADS = '-j2';
const PROBE_TIMEOUT_MS = 60_000;
const PROBE_MEMORY_BYTES_MAX = 2_147_483_648;

const answers = new Map<string, Promise<readonly string[]>>();

/** Words after `lean --json`. Each executable is asked once a process; one that cannot be started is asked again. */
export async function commandOptions(place: ProcessPlace): Promise<string[]> {
  return [THREADS, ...(await knownOptions(place, ELABORATION))];
}

/** Words after `lean --worker`, before the document's name. */
export async function serverOptions(place: ProcessPlace): Promise<string[]> {
  return [THREADS, ...(await knownOptions(place, [...ELABORATION, ...REPORTING]))];
}

async function knownOptions(place: ProcessPlace, wanted: readonly string[]): Promise<readonly string[]> {
  const key = JSON.stringify([place.environment.executable, wanted]);
  const answer = answers.get(key) ?? askAbout(place, wanted, () => answers.delete(key));
  answers.set(key, answer);
  return answer;
}

async function askAbout(
  place: ProcessPlace,
  wanted: readonly string[],
  onNoAnswer: () => void,
): Promise<readonly string[]> {
  if (await knows(place, wanted, onNoAnswer)) return wanted;
  const known: string[] = [];
  for (const option of wanted) if (await knows(place, [option], onNoAnswer)) known.push(option);
  return known;
}

async function knows(place: ProcessPlace, options: readonly string[], onNoAnswer: () => void): Promise<boolean> {
  const exit = await readLean({
    ...place,
    // The place's own folder may not be there yet.
    workingDirectory: tmpdir(),
    arguments: ['--stdin', ...options],
    input: 'prelude\n',
    deadlineMs: PROBE_TIMEOUT_MS,
    memoryBytesMax: PROBE_MEMORY_BYTES_MAX,
  });
  if (exit.how !== 'finished') onNoAnswer();
  return exit.how === 'finished' && exit.code === 0;
}
