/**
 * Ends a command silently when its reader has closed the pipe, as `head` does. SIGPIPE ends other programs that way,
 * but Node ignores that signal and reports a stream error instead.
 */
import { constants } from 'node:os';

export const OUTPUT_CLOSED_CODE = 128 + constants.signals.SIGPIPE;

let isReaderGone = false;

/** Returns whether the reader has closed the pipe; the command then ends silently. */
export const readerIsGone = (): boolean => isReaderGone;

/** Call once, before any output. A command that listens for the stream's errors decides itself. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (isReaderGone || stream.listenerCount('error') > 1) return;
      isReaderGone = true;
      // Clean-up that runs at a signal runs now.
      if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM');
      else process.exit(OUTPUT_CLOSED_CODE);
    });
}
