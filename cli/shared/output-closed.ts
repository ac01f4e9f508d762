/**
 * Ends a command whose output cannot be written. If the reader has closed the pipe, as `head` does, the command ends
 * silently: SIGPIPE ends other programs that way, but Node ignores that signal and reports a stream error instead. After
 * other errors, such as a full disk, the command says so and ends with exit code 2.
 */
import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';

const READER_GONE_CODE = 128 + constants.signals.SIGPIPE;
const UNWRITABLE_CODE = 2;

let lostCode: number | null = null;

/** Returns the exit code of a command whose output cannot be written; null if it can. */
export const lostOutputCode = (): number | null => lostCode;

/** Call once, before any output. A command that listens for the stream's errors decides itself about a closed pipe. */
export function endWithOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isReaderGone = error.code === 'EPIPE';
      if (lostCode !== null || (isReaderGone && stream.listenerCount('error') > 1)) return;
      lostCode = isReaderGone ? READER_GONE_CODE : UNWRITABLE_CODE;
      if (!isReaderGone) {
        if (stream === process.stdout) console.error(`standard output cannot be written: ${reasonOf(error)}`);
        // The command may end before the signal, or with the signal's code.
        process.once('exit', () => {
          process.exitCode = UNWRITABLE_CODE;
        });
      }
      // Clean-up that runs at a signal runs now.
      if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM');
      else process.exit(lostCode);
    });
}

const reasonOf = ({ errno, message }: NodeJS.ErrnoException): string =>
  errno === undefined ? message : getSystemErrorMessage(errno);
