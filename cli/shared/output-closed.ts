/**
 * Ends a command whose reader has closed the pipe, as `head` does: without a word, as the signal SIGPIPE ends other programs.
 * Node ignores that signal and reports an error of the stream in its place.
 */
import { constants } from 'node:os';

export const OUTPUT_CLOSED_CODE = 128 + constants.signals.SIGPIPE;

let isReaderGone = false;

/** Has the reader closed the pipe? Then the command ends without a word. */
export const readerIsGone = (): boolean => isReaderGone;

/** Call once, before anything is printed. A command with a listener of its own for the stream decides itself. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (isReaderGone || stream.listenerCount('error') > 1) return;
      isReaderGone = true;
      // What cleans up at a signal cleans up now.
      if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM');
      else process.exit(OUTPUT_CLOSED_CODE);
    });
}
