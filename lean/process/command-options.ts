/**
 * Command-line options that make a long file of candidates readable from outside, where this Lean has them: an option it
 * does not know is an error to it, so each is asked about once with an empty file.
 */
import { runLean } from './lean-process.ts';
import type { ProcessPlace } from './spawn.ts';

const WANTED = [
  /** Lean 4.35 stops at its hundredth error, and most candidates are one. */
  '-DmaxErrors=1000000',
  /** One declaration after another: a message belongs to the text that is being read, and time to its candidate. */
  '-DElab.async=false',
];
/** One thread elaborates and one reports; with one alone, Lean reports nothing before it has read the whole file. */
const THREADS = '-j2';
const PROBE_TIMEOUT_MS = 60_000;
const PROBE_MEMORY_BYTES_MAX = 2_147_483_648;

const answers = new Map<string, Promise<readonly string[]>>();

/** Words after `lean --json`. Each executable is asked once a process; one that cannot be started is asked again. */
export async function commandOptions(place: ProcessPlace): Promise<string[]> {
  return ['--stdin', THREADS, ...(await knownOptions(place))];
}

/** Those of the options that this Lean has, for every way to start it. */
export async function knownOptions(place: ProcessPlace): Promise<readonly string[]> {
  const { executable } = place.environment;
  const answer = answers.get(executable) ?? probe(place);
  answers.set(executable, answer);
  return answer;
}

async function probe(place: ProcessPlace): Promise<readonly string[]> {
  const known: string[] = [];
  for (const option of WANTED) {
    const exit = await runLean({
      ...place,
      arguments: ['--stdin', option],
      input: 'prelude\n',
      deadlineMs: PROBE_TIMEOUT_MS,
      memoryBytesMax: PROBE_MEMORY_BYTES_MAX,
      onMessage: () => {},
    });
    if (exit.how === 'finished' && exit.code === 0) known.push(option);
    if (exit.how !== 'finished') answers.delete(place.environment.executable);
  }
  return known;
}
