/** Tests candidate executables: does the file run here, and which version is it? Installs nothing. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

/** A test that a program is complete and runs on this machine. */
export interface RunCheck {
  readonly arguments: readonly string[];
  /** Must match the output. Its first group, if any, is the version. */
  readonly output: RegExp;
}

/** Time limit of a test, enough for a binary of 156 MB from a slow disk on an overloaded machine. */
const RUN_CHECK_TIMEOUT_MS = 120_000;

/** The program gave no answer in time: it is slow or it hangs. Damaged files fail at once. */
export class NoAnswerError extends Error {}

/** Finds the first executable file of that name in PATH's folders, or null. */
export async function findOnPath(name: string, environment: Environment): Promise<string | null> {
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the version of a program that runs; empty if the check finds none. Throws with the reason if it does not run,
 * and `NoAnswerError` if it takes too long.
 */
export async function checkRuns(
  path: string,
  check: RunCheck,
  environment: Environment,
  timeoutMs: number = RUN_CHECK_TIMEOUT_MS,
): Promise<string> {
  const result = await execa(path, [...check.arguments], {
    env: environment as NodeJS.ProcessEnv,
    extendEnv: false,
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
    all: true,
  });
  const output = result.all ?? '';
  const match = check.output.exec(output);
  if (match !== null) return match[1] ?? '';
  if (result.timedOut) throw new NoAnswerError(`${path} gave no output within ${timeoutMs / 1_000} s`);
  const why =
    result.code ?? result.signal ?? (result.exitCode === undefined ? 'no exit code' : `exit code ${result.exitCode}`);
  throw new Error(`${path} does not run here (${why})${output === '' ? '' : `: ${lastLine(output)}`}`);
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
