/**
 * Lean writes its messages through C's standard output, which is fully buffered on a pipe: a stuck process would not
 * have reported the candidates it finished. `stdbuf` of GNU coreutils makes it write line by line. Without `stdbuf`
 * verdicts stay the same, and a stuck batch is repeated candidate by candidate.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

let found: readonly string[] | null = null;

/** Words to put before a command line so that it writes line by line; empty where `stdbuf` is not on PATH. */
export function lineBufferingPrefix(): readonly string[] {
  found ??= findStdbuf(process.env.PATH ?? '');
  return found;
}

function findStdbuf(path: string): readonly string[] {
  for (const directory of path.split(delimiter)) {
    const candidate = join(directory, 'stdbuf');
    try {
      accessSync(candidate, constants.X_OK);
      return [candidate, '-oL'];
    } catch {
      // Not here: the next folder of PATH.
    }
  }
  return [];
}
