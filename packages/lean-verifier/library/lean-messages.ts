/**
 * Runs `lean --json` once and collects its messages: for compiling the library and for trying scripts on it. Process
 * group, memory watch and output limit are those of `packages/lean-verifier/runtime/process`; it gives no verdicts.
 */
import { tmpdir } from 'node:os';
import { RUN_MARK } from '@stp/base/files';
import type { LeanMessage } from '@stp/config/records';
import { runLean } from '../runtime/process/lean-process.ts';
import type { Sandbox } from '../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../verifier.ts';

interface LeanMessagesOptions {
  /** Absolute path of `lean`. */
  readonly executable: string;
  /** After `--json`. */
  readonly arguments: readonly string[];
  /** LEAN_PATH of the process; the toolchain's own folders need not be named. */
  readonly searchPath: readonly string[];
  /** File text for `--stdin`; none: standard input is empty. */
  readonly input?: string;
  /** Environment of the processes; only its run mark reaches Lean. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** For text that a model wrote; without one Lean runs as any program of this user. */
  readonly sandbox?: Sandbox;
  /** Folders in which the sandbox lets it write. */
  readonly writable?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface LeanOutput {
  /** 1-based lines and 0-based columns (code points) of the file. */
  readonly messages: readonly LeanMessage[];
  /** Null where a signal ended the process. */
  readonly exitCode: number | null;
  /** The deadline passed and the process group was killed; `messages` holds what came before. */
  readonly timedOut: boolean;
  /** End of standard error. */
  readonly rest: string;
}

/** Library modules take a few hundred megabytes; a definition that explodes should not take the machine with it. */
const MEMORY_BYTES_MAX = 8 * 1024 ** 3;
/** A message is kept to this length: as `leanMessageSchema`. */
const MESSAGE_CHARS_MAX = 4_096;

/** Rejects only with the signal's reason. */
export async function leanMessages(options: LeanMessagesOptions): Promise<LeanOutput> {
  const messages: LeanMessage[] = [];
  // A process needs no more of an environment than these two; the library that the rest describes may not be compiled yet.
  const environment = { executable: options.executable, searchPath: options.searchPath } as LeanEnvironment;
  const exit = await runLean({
    environment,
    arguments: options.arguments,
    input: options.input ?? null,
    workingDirectory: tmpdir(),
    deadlineMs: options.deadlineMs,
    memoryBytesMax: MEMORY_BYTES_MAX,
    runMark: options.environment?.[RUN_MARK],
    sandbox: options.sandbox,
    writable: options.writable,
    signal: options.signal,
    onMessage: (message) => messages.push({ ...message, text: message.text.slice(0, MESSAGE_CHARS_MAX) }),
  });
  return { messages, exitCode: exit.code, timedOut: exit.how === 'deadline', rest: exit.stderr };
}
