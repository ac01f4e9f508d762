/**
 * The project's Lean with compiled problem sets (which do not need the library), and a function that runs text through
 * it.
 */
import { fileURLToPath } from 'node:url';
import type { LeanMessage } from '@stp/config/records';
import { PROBLEMS_DIRECTORY } from '@stp/datasets/testing';
import { compileLibrary, type LeanEnvironment, leanMessages, resolveToolchain } from '@stp/lean-verifier';
import type { SourceDirectory } from '@stp/lean-verifier/testing';

const CACHE_DIRECTORY = fileURLToPath(new URL('../../../.cache', import.meta.url));

/** `before`: source folders to compile before the problem sets. */
export async function problemEnvironment(before: readonly SourceDirectory[] = []): Promise<LeanEnvironment> {
  return compileLibrary({
    toolchain: await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto' }),
    sourceDirectories: [...before, { directory: PROBLEMS_DIRECTORY, modulePrefix: 'Stp.Problems' }],
    cacheDirectory: CACHE_DIRECTORY,
  });
}

/** A piece of a Lean file, with a name for messages. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

export interface SnippetResult {
  readonly name: string;
  readonly messages: readonly LeanMessage[];
}

/** Far more than any of these files takes; it only ends a Lean process that loops. */
const DEADLINE_MS = 300_000;

/**
 * Runs all snippets in one process, each in a namespace of its own under the same header; lines assign messages to
 * snippets. Lean's limit on the number of errors is removed, and unknown words are errors instead of new variables.
 */
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

/** Returns `name: text` of every error, so that an assertion shows what is wrong. */
export function errorsOf(results: readonly SnippetResult[]): readonly string[] {
  return results.flatMap(({ name, messages }) =>
    messages.filter(({ severity }) => severity === 'error').map(({ text }) => `${name}: ${text}`),
  );
}
