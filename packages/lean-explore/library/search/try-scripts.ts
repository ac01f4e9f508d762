/**
 * Finds out which of many (theorem, script) pairs Lean accepts. Each batch is one file in which every pair has its own
 * namespace, and lines assign errors to pairs. A batch that reaches its deadline is halved until the slow pair is
 * alone.
 */
import type { LibraryTheorem } from '@stp/config/records';
import { type LeanEnvironment, leanMessages } from '@stp/lean-verifier';
import type { SearchScript } from './script-text.ts';

export interface ScriptAttempt {
  readonly theorem: LibraryTheorem;
  readonly script: SearchScript;
}

const BATCH_SIZE = 400;
/** A twentieth of Lean's default. A script that needs more heartbeats is not a short one. */
const HEARTBEATS_MAX = 10_000;
/** A hundred times the usual time of a batch on one core. */
const BATCH_DEADLINE_MS = 600_000;
const ARGUMENTS = [
  '--stdin',
  '-DmaxErrors=1000000',
  `-DmaxHeartbeats=${HEARTBEATS_MAX}`,
  '-DautoImplicit=false',
  '-Dlinter.all=false',
];

/** Returns accepted pairs in the given order. `onProgress` receives the number of finished pairs. */
export async function acceptedScripts(
  environment: LeanEnvironment,
  attempts: readonly ScriptAttempt[],
  processes: number,
  onProgress: (done: number) => void,
): Promise<readonly ScriptAttempt[]> {
  const batches = cut(attempts, BATCH_SIZE);
  const results = new Array<readonly ScriptAttempt[]>(batches.length);
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < batches.length) {
      const index = next++;
      results[index] = await acceptedInBatch(environment, batches[index]!, BATCH_DEADLINE_MS);
      done += batches[index]!.length;
      onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: processes }, worker));
  return results.flat();
}

async function acceptedInBatch(
  environment: LeanEnvironment,
  attempts: readonly ScriptAttempt[],
  deadlineMs: number,
): Promise<readonly ScriptAttempt[]> {
  const lines = attempts[0]!.theorem.header.split('\n');
  const starts = attempts.map(({ theorem, script }, index) => {
    const start = lines.length + 1;
    lines.push(`namespace Attempt${index}`, ...`${theorem.statement} := by\n${script.proof}`.split('\n'));
    lines.push(`end Attempt${index}`);
    return start;
  });
  const run = await leanMessages({
    executable: environment.executable,
    arguments: ARGUMENTS,
    searchPath: environment.searchPath,
    input: `${lines.join('\n')}\n`,
    deadlineMs,
  });
  if (run.exitCode === 0 || run.exitCode === 1) {
    const errors = run.messages.filter(({ severity }) => severity === 'error').map(({ line }) => line);
    const isIn = (line: number, index: number) => line >= starts[index]! && line < (starts[index + 1] ?? Infinity);
    return attempts.filter((_, index) => !errors.some((line) => isIn(line, index)));
  }
  if (attempts.length === 1) return [];
  const halves = cut(attempts, Math.ceil(attempts.length / 2));
  const parts: ScriptAttempt[] = [];
  for (const half of halves) parts.push(...(await acceptedInBatch(environment, half, deadlineMs / 2)));
  return parts;
}

function cut<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
