/**
 * Command-line options that make a long file of candidates readable from outside, where this Lean has them: an option it
 * does not know is an error to it, so each is asked about once with an empty file.
 */
import { type LeanRun, runLean } from './lean-process.ts';

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
export async function commandOptions(
  options: Pick<LeanRun, 'environment' | 'workingDirectory' | 'runMark'>,
): Promise<string[]> {
  const { executable } = options.environment;
  const answer = answers.get(executable) ?? probe(options);
  answers.set(executable, answer);
  return ['--stdin', THREADS, ...(await answer)];
}

async function probe(
  options: Pick<LeanRun, 'environment' | 'workingDirectory' | 'runMark'>,
): Promise<readonly string[]> {
  const known: string[] = [];
  for (const option of WANTED) {
    const exit = await runLean({
      ...options,
      arguments: ['--stdin', option],
      input: 'prelude\n',
      deadlineMs: PROBE_TIMEOUT_MS,
      memoryBytesMax: PROBE_MEMORY_BYTES_MAX,
      onMessage: () => {},
    });
    if (exit.how === 'finished' && exit.code === 0) known.push(option);
    if (exit.how !== 'finished') answers.delete(options.environment.executable);
  }
  return known;
}
