/**
 * Runs one `lean --json` process to its end: own process group, deadline, cancellation, messages as records. It knows
 * nothing of candidates or verdicts; the pool that checks untrusted proofs is elsewhere. For our own sources only.
 */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { LeanMessage } from '../../data/schemas/records.ts';

export interface LeanRunOptions {
  /** Absolute path of `lean`. */
  readonly executable: string;
  /** After `--json`. */
  readonly arguments: readonly string[];
  /** LEAN_PATH of the process; the toolchain's own folders need not be named. */
  readonly searchPath: readonly string[];
  /** File text for `--stdin`; none: standard input is empty. */
  readonly input?: string;
  /** Added to this process's environment: the run mark. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface LeanRun {
  readonly messages: readonly LeanMessage[];
  /** Null where a signal ended the process. */
  readonly exitCode: number | null;
  /** The deadline passed and the process group was killed; `messages` holds what came before. */
  readonly timedOut: boolean;
  /** End of standard error and of the lines of standard output that are not messages. */
  readonly rest: string;
}

/** Longest part of unstructured output that is kept, characters: enough for an assertion or a loader's complaint. */
const REST_CHARS_MAX = 4_000;
const MESSAGE_CHARS_MAX = 4_096;

const messageLineSchema = z.object({
  severity: z.enum(['error', 'warning', 'information']),
  pos: z.object({ line: z.number().int(), column: z.number().int().nonnegative() }),
  data: z.string(),
});

/** Message lines carry 1-based lines and 0-based columns (code points) of the file. Rejects with the signal's reason. */
export async function runLean(options: LeanRunOptions): Promise<LeanRun> {
  options.signal?.throwIfAborted();
  const child = spawn(options.executable, ['--json', ...options.arguments], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment, LEAN_PATH: options.searchPath.join(':') },
  });
  const messages: LeanMessage[] = [];
  let rest = '';
  let partial = '';
  let timedOut = false;

  const takeLine = (line: string) => {
    const message = parseMessage(line);
    if (message !== null) messages.push(message);
    else if (line.trim() !== '') rest = `${rest}${line}\n`.slice(-REST_CHARS_MAX);
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    rest = (rest + chunk).slice(-REST_CHARS_MAX);
  });
  // A process that ends before it has read its input breaks the pipe; its exit says what happened.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');

  const killGroup = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended meanwhile.
    }
  };
  const deadline = setTimeout(() => {
    timedOut = true;
    killGroup();
  }, options.deadlineMs);
  options.signal?.addEventListener('abort', killGroup, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    options.signal?.throwIfAborted();
    takeLine(partial);
    return { messages, exitCode, timedOut, rest };
  } finally {
    clearTimeout(deadline);
    options.signal?.removeEventListener('abort', killGroup);
  }
}

function parseMessage(line: string): LeanMessage | null {
  if (!line.startsWith('{')) return null;
  try {
    const { severity, pos, data } = messageLineSchema.parse(JSON.parse(line));
    return { severity, line: pos.line, column: pos.column, text: data.slice(0, MESSAGE_CHARS_MAX) };
  } catch {
    return null;
  }
}
