/**
 * Runs a program to its end and describes the result for people. Throws only if aborted, not if the program fails. For
 * tools of the set-up, whose children end with them; Lean checks use `runtime/process`.
 */
export interface CommandOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** Text for standard input. Missing: the input is empty. */
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  /** Whether the program ended by itself with exit code 0. */
  readonly ok: boolean;
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The reason for a failure, in one line; empty if `ok`. */
  readonly reason: string;
}

const KILL_AFTER_MS = 2_000;
const OUTPUT_CHARS_MAX = 4_000_000;
const REASON_CHARS_MAX = 300;

/**
 * Runs the program.
 * @throws the signal's reason if `signal` aborts
 */
export async function runCommand(
  program: string,
  parameters: readonly string[],
  { environment, timeoutMs, cwd, input = '', signal }: CommandOptions,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  // Loaded lazily: about a hundred modules, which a command needs only if no result is cached.
  const { execa } = await import('execa');
  const result = await execa(program, parameters, {
    env: environment,
    extendEnv: false,
    timeout: timeoutMs,
    input,
    reject: false,
    maxBuffer: OUTPUT_CHARS_MAX,
    forceKillAfterDelay: KILL_AFTER_MS,
    stripFinalNewline: false,
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  const { exitCode, stdout, stderr } = result;
  const ok = exitCode === 0 && !result.failed;
  return { ok, exitCode, stdout, stderr, reason: ok ? '' : whyNot(result, timeoutMs) };
}

interface Outcome {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  readonly code?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function whyNot({ exitCode, signal, timedOut, code, stdout, stderr }: Outcome, timeoutMs: number): string {
  if (timedOut) return `no answer within ${timeoutMs / 1000} s`;
  if (code === 'ENOENT') return 'no such program';
  if (code === 'EACCES') return 'it may not be executed';
  const said = `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const last = (said.find((line) => /error/i.test(line)) ?? said.at(-1) ?? 'no message').slice(0, REASON_CHARS_MAX);
  const end = exitCode === undefined ? `ended by ${signal ?? code ?? 'the system'}` : `exit code ${exitCode}`;
  return `${end}: ${last}`;
}
