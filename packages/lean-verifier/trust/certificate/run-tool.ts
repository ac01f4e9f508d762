/**
 * Runs a checker that is a separate program: in Lean's sandbox, with a deadline and limits on memory and output. Lean's
 * tools find their library by `LEAN_SYSROOT` and `lean` on PATH, so both are set.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { untilItsOwnEnd } from '../../runtime/process/its-own-end.ts';
import { type LeanExit, startLean } from '../../runtime/process/spawn.ts';
import { watchRun } from '../../runtime/process/watch-run.ts';
import type { CheckerAnswer, CompiledFile } from './checker.ts';

/** Processor time after which a checker counts as stuck on a file, ms. The wall-time limit is ten times that. */
const TOOL_TIMEOUT_MS = 1_200_000;
const OUTPUT_CHARS_KEPT = 4_096;
const ENVIRONMENT_PROGRAM = '/usr/bin/env';

export interface ToolRun {
  /** The program's absolute path, followed by its arguments. */
  readonly command: readonly string[];
  readonly workingDirectory: string;
  readonly timeoutMs?: number;
}

export interface ToolExit extends LeanExit {
  /** The end of its output. */
  readonly output: string;
}

export type ToolContext = Pick<CompiledFile, 'processContext' | 'signal' | 'memoryBytesMax'>;

/** Runs a tool, repeating the run until it ends by itself. Rejects only with the signal's reason. */
export function runTool(context: ToolContext, run: ToolRun): Promise<ToolExit> {
  return untilItsOwnEnd(() => runOnce(context, run), context.signal);
}

async function runOnce({ processContext, signal, memoryBytesMax }: ToolContext, run: ToolRun): Promise<ToolExit> {
  signal?.throwIfAborted();
  const folder = dirname(run.command[0]!);
  const prefix = dirname(dirname(processContext.environment.executable));
  const variables = [`LEAN_SYSROOT=${prefix}`, `PATH=${join(prefix, 'bin')}:/usr/local/bin:/usr/bin:/bin`];
  const tool = startLean({
    ...processContext,
    workingDirectory: run.workingDirectory,
    program: ENVIRONMENT_PROGRAM,
    arguments: [...variables, ...run.command],
    readOnly: [folder],
    memoryBytesMax,
  });
  if (!('pid' in tool)) return { ...tool, output: '' };
  const watch = watchRun(tool, { deadlineMs: run.timeoutMs ?? TOOL_TIMEOUT_MS, memoryBytesMax, signal });
  let output = '';
  tool.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARS_KEPT);
  });
  tool.stdin.end();
  const exit = await tool.ended;
  await watch.stop();
  signal?.throwIfAborted();
  return { ...exit, output };
}

/** Converts an exit: code 0 means accepted, a code in `refuses` means refused, anything else means failed. */
export function answerOf(exit: ToolExit, refuses: readonly number[]): CheckerAnswer {
  const said = `${exit.output}\n${exit.stderr}`.trim();
  if (exit.how === 'finished' && exit.code === 0) return { outcome: 'accepted', detail: '' };
  // For Lean an unusual exit code means a crash, but for some checkers it is an answer.
  const answered = exit.how === 'finished' || (exit.how === 'crashed' && exit.code !== null);
  if (answered && refuses.includes(exit.code!)) return { outcome: 'refused', detail: said };
  return { outcome: 'failed', detail: `${exit.how}, ${exit.signal ?? `exit code ${exit.code}`}: ${said}` };
}

const versions = new Map<string, Promise<string>>();

/** Returns the hash of the program's bytes, which is more specific than a version number; null if it is absent. */
export async function programVersion(path: string | null): Promise<string | null> {
  if (path === null || !(await isExecutable(path))) return null;
  const version = versions.get(path) ?? hashOf(path);
  versions.set(path, version);
  return version;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex').slice(0, 16)}`;
}

export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
