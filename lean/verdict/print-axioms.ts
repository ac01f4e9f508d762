/**
 * Asks Lean, in a process that loads given modules and no other text, on which axioms given constants rest. A name that does
 * not exist there has no answer. What is printed are full names, private ones as such.
 */
import { commandOptions } from '../process/command-options.ts';
import { readLean } from '../process/its-own-end.ts';
import type { LeanRun } from '../process/lean-process.ts';
import { nameParts } from '../screen/tokenizer.ts';
import { parseAxioms } from './axioms.ts';
import { FULL_NAMES } from './batch-source.ts';
import { HEADER_TIMEOUT_MS, MEMORY_BYTES_MAX } from './limits.ts';

export interface AskOptions
  extends Pick<LeanRun, 'environment' | 'workingDirectory' | 'runMark' | 'sandbox' | 'signal'> {
  /** Resident memory of the process: it holds what the modules hold, Mathlib some gigabytes. Default that of a check. */
  readonly memoryBytesMax?: number;
}

/**
 * `importLines`: `import Foo`, one a line. `names`: full names as a source writes them, without `_root_`. The answer to a
 * name that exists is its axioms, or null where the answer could not be read. Rejects with an `Error`
 * whose cause is the process's end where Lean ended early, also the last time.
 */
export async function printAxioms(
  importLines: readonly string[],
  names: readonly string[],
  options: AskOptions,
): Promise<Map<string, string[] | null>> {
  const before = [...importLines, ...FULL_NAMES];
  const lines = [...before, ...names.map((name) => `#print axioms _root_.${name}`), '#print "asked"'];
  const answers = new Map<string, string[] | null>();
  let complete = false;
  let failure = '';
  const exit = await readLean({
    ...options,
    arguments: await commandOptions(options),
    input: `${lines.join('\n')}\n`,
    deadlineMs: HEADER_TIMEOUT_MS,
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
  });
  for (const { severity, line, column, text } of exit.messages) {
    if (severity === 'error' && line <= before.length) failure ||= text;
    if (severity !== 'information' || column !== 0) continue;
    if (line === lines.length) complete = true;
    const name = names[line - before.length - 1];
    if (name !== undefined) answers.set(name, answers.has(name) ? null : answerFor(name, text));
  }
  if (!complete || failure !== '') {
    throw new Error(`Lean did not print axioms (${exit.how}): ${failure || exit.stderr.trim().slice(-400)}`, {
      cause: exit,
    });
  }
  return answers;
}

/** Null where the answer is about another constant than the one that was asked for. */
function answerFor(name: string, text: string): string[] | null {
  const printed = /^'([^\n]*?)' (?:does not depend|depends) on /.exec(text)?.[1];
  if (printed === undefined || nameParts(printed).join('\n') !== nameParts(name).join('\n')) return null;
  return parseAxioms(text);
}
