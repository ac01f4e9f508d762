/** The project's Lean with the problem sets compiled (they need nothing of the library), and one way to run text through it. */
import { fileURLToPath } from 'node:url';
import type { LeanMessage } from '@stp/config/records';
import { PROBLEMS_DIRECTORY } from '@stp/datasets/testing';
import { compileLibrary, type LeanEnvironment, leanMessages, resolveToolchain } from '@stp/lean-verifier';
import type { SourceDirectory } from '@stp/lean-verifier/testing';

const CACHE_DIRECTORY = fileURLToPath(new URL('../../../.cache', import.meta.url));

/** `before`: source folders compiled ahead of the problem sets. */
export async function problemEnvironment(before: readonly SourceDirectory[] = []): Promise<LeanEnvironment> {
  return compileLibrary({
    toolchain: await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto' }),
    sourceDirectories: [...before, { directory: PROBLEMS_DIRECTORY, modulePrefix: 'Stp.Problems' }],
    cacheDirectory: CACHE_DIRECTORY,
  });
}

/** A piece of a Lean file, and what it is about. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

export interface SnippetResult {
  readonly name: string;
  readonly messages: readonly LeanMessage[];
}

/** Far over what any of these files takes; it only ends a Lean that loops. */
const DEADLINE_MS = 300_000;

/** Every snippet in a namespace of its own under one header, in one process; its messages are found by their lines.
 *  Lean's limit on the number of errors is lifted; a word it does not know is an error, not a new variable. */
export async function runSnippets(
  environment: LeanEnvironment,
  header: string,
  snippets: readonly Snippet[],
): Promise<readonly SnippetResult[]> {
  const lines = [...header.split('\n')];
  const starts = snippets.map(({ text }, index) => {
    const start = lines.length + 1;
    lines.push(`namespace Snippet${index}`, ...text.split('\n'), `end Snippet${index}`);
    return start;
  });
  const run = await leanMessages({
    executable: environment.executable,
    arguments: ['-DmaxErrors=100000', '-DautoImplicit=false', '--stdin'],
    searchPath: environment.searchPath,
    input: `${lines.join('\n')}\n`,
    deadlineMs: DEADLINE_MS,
  });
  if (run.timedOut || run.rest !== '') throw new Error(`lean: ${run.timedOut ? 'timed out' : run.rest}`);
  const early = run.messages.find(({ line }) => line < (starts[0] ?? 1));
  if (early !== undefined) throw new Error(`header: ${early.text}`);
  return snippets.map(({ name }, index) => ({
    name,
    messages: run.messages.filter(({ line }) => line >= starts[index]! && line < (starts[index + 1] ?? Infinity)),
  }));
}

/** `name: text` of every error, for an assertion that shows what is wrong. */
export function errorsOf(results: readonly SnippetResult[]): readonly string[] {
  return results.flatMap(({ name, messages }) =>
    messages.filter(({ severity }) => severity === 'error').map(({ text }) => `${name}: ${text}`),
  );
}
