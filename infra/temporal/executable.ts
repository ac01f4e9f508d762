/** Tests candidate executables: does the file run here, and which version is it? Installs nothing. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

/** How a program proves that it is whole and runs on this machine. */
export interface RunCheck {
  readonly arguments: readonly string[];
  /** Must match the output; its first group, where it has one, is the version. */
  readonly output: RegExp;
}

/** A cold binary of 156 MB from a slow disk, on a machine that has more to do than it can. */
const RUN_CHECK_TIMEOUT_MS = 120_000;

/** A program gave no answer in time: it is too slow, or it hangs. Damaged files fail at once. */
export class NoAnswerError extends Error {}

/** First executable file of that name in PATH's folders, or null. */
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

/** Version of a program that runs (empty where the check has none); throws with the reason where it does not, `NoAnswerError` where it takes too long. */
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
