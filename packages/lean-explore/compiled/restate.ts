/**
 * States theorems of compiled modules again as text, under imports that contain neither them nor anything that depends
 * on them. A text is kept only if Lean elaborates it under that header to the type of the original, compared as terms
 * of our own kernel.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CompiledConstant, type CompiledModule, type Name, readModule, statesTheSame } from '@stp/lean-kernel';
import {
  compileStatements,
  type LeanEnvironment,
  MEMORY_BYTES_MAX,
  type Sandbox,
  screenStatement,
  statedName,
  theoremNamespace,
} from '@stp/lean-verifier';
import type { GraphModule } from './module-graph.ts';
import { PRINTINGS, type Printing, printStatements } from './print-statements.ts';
import type { FoundTheorem, LeftOut, ReadModule } from './reader.ts';

/** Maximum number of statements per Lean process. */
const BATCH_MAX = 300;

export interface RestateTask {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  readonly scratchDirectory: string;
  /** Maximum characters of a statement without its name. */
  readonly charsMax: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Restated {
  readonly theorem: FoundTheorem;
  /** The text after the theorem's name. */
  readonly signature: string;
  readonly printing: Printing;
}

export interface RestatedModule {
  readonly restated: readonly Restated[];
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  /** The first few examples of each reason, as `NAME: text or message`. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 3;

/** `headerLines`: `prelude`, then `import A`, one per line. */
export async function restate(
  from: GraphModule,
  read: ReadModule,
  headerLines: readonly string[],
  task: RestateTask,
): Promise<RestatedModule> {
  const restated: Restated[] = [];
  const counts: Partial<Record<LeftOut, number>> = {};
  const examples: string[] = [];
  const isPrelude = headerLines[0] === 'prelude';
  for (let at = 0; at < read.theorems.length; at += BATCH_MAX) {
    let waiting: readonly FoundTheorem[] = read.theorems.slice(at, at + BATCH_MAX);
    let failed = new Map<FoundTheorem, Failure>();
    for (const printing of PRINTINGS) {
      if (waiting.length === 0) break;
      const printed = await printStatements(
        waiting.map(({ shown }) => shown),
        { ...task, printing, header: `${isPrelude ? 'prelude\n' : ''}import ${from.name}` },
      );
      const tried = await tryTexts(waiting, printed, read, headerLines, task);
      for (const [index, outcome] of tried.entries())
        if (typeof outcome === 'string') restated.push({ theorem: waiting[index]!, signature: outcome, printing });
      // People see the failure of the first printing.
      failed = new Map(
        waiting.flatMap((theorem, index) => {
          const outcome = tried[index]!;
          return typeof outcome === 'string' ? [] : [[theorem, failed.get(theorem) ?? outcome] as const];
        }),
      );
      waiting = [...failed.keys()];
    }
    for (const [{ shown }, { reason, why }] of failed) {
      const count = (counts[reason] ?? 0) + 1;
      counts[reason] = count;
      if (count <= EXAMPLES_MAX) examples.push(`${reason}: ${shown}: ${why}`);
    }
  }
  const orderOf = new Map(read.theorems.map((theorem, at) => [theorem, at]));
  restated.sort((a, b) => orderOf.get(a.theorem)! - orderOf.get(b.theorem)!);
  return { restated, leftOut: counts, examples };
}

interface Failure {
  readonly reason: LeftOut;
  readonly why: string;
}

/** Finds for each theorem a signature with the same meaning, or the reason why there is none. */
async function tryTexts(
  theorems: readonly FoundTheorem[],
  printed: readonly (string | null)[],
  read: ReadModule,
  headerLines: readonly string[],
  task: RestateTask,
): Promise<readonly (string | Failure)[]> {
  const outcomes = printed.map((text): string | Failure => {
    if (text === null) return { reason: 'unprinted', why: 'Lean says nothing of it' };
    if (text.length > task.charsMax) return { reason: 'long', why: `${text.length} characters` };
    const screened = screenStatement(`theorem stated${text}`);
    return screened.accepted ? screened.signature : { reason: 'refused', why: screened.refusal.reason };
  });
  // Read in the namespace of its own name, as problem sets state it.
  const namespaces = theorems.map(({ shown }) => theoremNamespace(shown));
  const asked = outcomes.flatMap((text, index) =>
    typeof text === 'string' ? [{ index, signature: text, namespace: namespaces[index] }] : [],
  );
  if (asked.length === 0) return outcomes;
  const directory = join(task.scratchDirectory, `restated-${randomBytes(8).toString('hex')}`);
  try {
    const { path, wrong, problem } = await compileStatements(
      asked.map((one) => ({ ...one, opens: '' })),
      {
        processContext: {
          environment: task.environment,
          sandbox: task.sandbox,
          workingDirectory: task.scratchDirectory,
        },
        importLines: headerLines,
        directory,
        memoryBytesMax: MEMORY_BYTES_MAX,
        signal: task.signal,
      },
    );
    const means = path === null ? (): boolean => false : comparison(path, read);
    for (const [at, { index }] of asked.entries()) {
      const name = statedName(at);
      const why = problem || wrong.get(at);
      if (why) outcomes[index] = { reason: problem ? 'unloaded' : 'unread', why: why.slice(0, 300) };
      else if (!means(read.terms.names.of(name), theorems[index]!))
        outcomes[index] = { reason: 'different', why: asked[at]!.signature.slice(0, 300) };
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  return outcomes;
}

/** Whether the constant with this name in the compiled module has the theorem's type. */
export function comparison(
  path: string,
  { terms, module }: ReadModule,
): (name: Name, theorem: FoundTheorem) => boolean {
  const stated = readModule(path, terms);
  const statedIndices = indicesOf(stated);
  const ownIndices = indicesOf(module);
  return (name, theorem) => {
    const index = statedIndices.get(name);
    if (index === undefined) return false;
    return statesTheSame(
      terms,
      { constant: module.constant(theorem.index, false), own: constantsOf(module, ownIndices) },
      { constant: stated.constant(index, false), own: constantsOf(stated, statedIndices) },
    );
  };
}

const indicesOf = (module: CompiledModule): ReadonlyMap<Name, number> =>
  new Map(module.names.map((name, index) => [name, index]));

function constantsOf(
  module: CompiledModule,
  indices: ReadonlyMap<Name, number>,
): (name: Name) => CompiledConstant | null {
  return (name) => {
    const index = indices.get(name);
    return index === undefined ? null : module.constant(index);
  };
}
