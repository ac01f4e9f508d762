/**
 * Makes Lean write its messages line by line, by `stdbuf` of GNU coreutils. C's standard output is fully buffered on a
 * pipe, so a stuck process would not report the candidates that it had finished. Without `stdbuf` verdicts are the
 * same, but a stuck batch is repeated one candidate at a time.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

let found: readonly string[] | null = null;

/** Arguments to put before a command line so that it writes line by line; empty if `stdbuf` is not on PATH. */
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
      // Not in this folder of PATH: try the next.
    }
  }
  return [];
}
