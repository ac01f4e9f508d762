/**
 * Finds theorems of a grown library that need no marks, because a cheap tactic proves them with the marks of others.
 * Each mark costs time in every later proof, and many of the equations that exploration finds over the same functions
 * follow from a few.
 */
import { splitImports } from '../trust/header.ts';
import { type GrownTheorem, headerOf, markedNamespace, markLines, signatureOf } from '../trust/kept-theorem.ts';
import type { LeanOutput } from './lean-messages.ts';

const HEARTBEATS_MAX = 1_000;

export interface NewTheorems {
  /** The compiled module that contains the new theorems. */
  readonly module: string;
  readonly header: string | null;
  readonly added: readonly GrownTheorem[];
  /** Theorems of earlier generations with the same header. */
  readonly earlier: readonly GrownTheorem[];
  /** Tactic block that proves trivial statements; `simp` is one of its tactics. */
  readonly trivialProof: string;
}

/**
 * Returns the names of new theorems that are trivial with the marks of earlier ones and of smaller new ones. Lean reads
 * one file: each statement as an example, smallest first, followed by its marks. If Lean does not reach the end of the
 * file, the remaining theorems keep their marks.
 */
export async function consequences(
  { module, header, added, earlier, trivialProof }: NewTheorems,
  run: (source: string) => Promise<LeanOutput>,
): Promise<ReadonlySet<string>> {
  const { imports, rest } = splitImports(headerOf(header));
  const parts = [
    ...imports,
    `import ${module}`,
    rest,
    `set_option maxHeartbeats ${HEARTBEATS_MAX}`,
    'set_option autoImplicit false',
    'set_option relaxedAutoImplicit false',
    'set_option linter.all false',
    ...(earlier.length === 0 ? [] : [`open ${markedNamespace(earlier.at(-1)!.name)}`]),
  ];
  let line = parts.join('\n').split('\n').length + 1;
  const add = (text: string): number => {
    parts.push(text);
    const at = line;
    line += text.split('\n').length;
    return at;
  };
  const bySize = added
    .filter(({ marks }) => marks.length > 0)
    .toSorted((a, b) => a.statement.length - b.statement.length || (a.name < b.name ? -1 : 1));
  const examples = bySize.map((one) => {
    const first = add(`example${signatureOf(one)} := by\n  ${trivialProof.replaceAll('\n', '\n  ')}`);
    const end = line;
    add(markLines([one], 'local').join('\n'));
    return { name: one.name, first, end };
  });
  const { messages, exitCode, timedOut } = await run(`${parts.join('\n')}\n`);
  if (timedOut || exitCode === null) return new Set();
  const errors = messages.filter(({ severity }) => severity === 'error');
  return new Set(
    examples
      .filter(({ first, end }) => !errors.some((error) => first <= error.line && error.line < end))
      .map(({ name }) => name),
  );
}
