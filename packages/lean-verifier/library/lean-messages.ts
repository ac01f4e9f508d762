/**
 * Runs `lean --json` once and collects its messages, to compile the library or to try scripts on it. It gives no
 * verdicts. Process group, memory limit and output limit are those of `runtime/process`.
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
  /** Arguments after `--json`. */
  readonly arguments: readonly string[];
  /** LEAN_PATH of the process, without the toolchain's own folders. */
  readonly searchPath: readonly string[];
  /** Source text for `--stdin`. Missing: standard input is empty. */
  readonly input?: string;
  /** Environment variables. Only the run mark in them reaches Lean. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Required for text that a model wrote. Without a sandbox Lean runs with all rights of this user. */
  readonly sandbox?: Sandbox;
  /** Folders that the sandbox lets Lean write to. */
  readonly writable?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface LeanOutput {
  /** Positions have 1-based lines and 0-based columns in code points. */
  readonly messages: readonly LeanMessage[];
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  /** The deadline passed and the process group was killed. `messages` has the earlier messages. */
  readonly timedOut: boolean;
  /** The end of standard error. */
  readonly rest: string;
}

/** Library modules take a few hundred megabytes. The limit protects the machine from a definition that explodes. */
const MEMORY_BYTES_MAX = 8 * 1024 ** 3;
/** Maximum length of a kept message, as in `leanMessageSchema`. */
const MESSAGE_CHARS_MAX = 4_096;

/** Rejects only with the signal's reason. */
export async function leanMessages(options: LeanMessagesOptions): Promise<LeanOutput> {
  const messages: LeanMessage[] = [];
  // The process needs only these two fields; the library that the others describe may not be compiled yet.
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
