/**
 * Finds the names that proofs of statements may use. Lean compiles the screened statements in its sandbox, one module
 * for all statements with the same imports. Then these modules and their imports are read.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  compileStatements,
  givenNamespace,
  hasDefinitions,
  type ProcessContext,
  screenHeader,
  screenStatement,
  splitImports,
  statedName,
  toolchainFolder,
} from '@stp/lean-verifier';
import type { DefinitionOptions } from './definitions.ts';
import { type ModuleToRead, readContexts, type StatedName } from './read-module.ts';
import type { ContextAnswer } from './statement-context.ts';
import { openedBy } from './written-name.ts';

/** Maximum number of statements per module. */
const STATEMENTS_MAX = 300;

export interface StatementToRead {
  /** Imports and opens, or null for the library header. */
  readonly header: string | null;
  /** `theorem NAME BINDERS : TYPE`; may be untrusted. */
  readonly statement: string;
}

export interface ContextTask extends Pick<DefinitionOptions, 'source'> {
  readonly processContext: ProcessContext;
  readonly libraryHeader: string;
  /** A folder is made in it, and removed afterwards. */
  readonly scratchDirectory: string;
  readonly memoryBytesMax: number;
  /** Folder for an index from constants to modules; null for none. */
  readonly indexFolder: string | null;
  readonly signal?: AbortSignal | undefined;
}

interface Screened {
  readonly index: number;
  readonly imports: readonly string[];
  readonly opens: string;
  readonly signature: string;
  readonly namespace: string;
}

/** A reader for a module that contains statements. */
export interface StatementReader<Answer> {
  /** Returns one answer per statement, in order. */
  read(stated: readonly StatedName[], module: ModuleToRead): readonly Answer[] | Promise<readonly Answer[]>;
  /** The answer for a statement that could not be compiled or read. */
  unread(reason: string): Answer;
}

/**
 * Reads the context of each statement, in order. Rejects only with the signal's reason, or if the scratch folder cannot
 * be written.
 */
export function statementContexts(
  statements: readonly StatementToRead[],
  task: ContextTask,
): Promise<readonly ContextAnswer[]> {
  return readStatements(statements, task, {
    read: readContexts,
    unread: (reason) => ({ context: null, reason }),
  });
}

/** Compiles statements as `statementContexts` does, and passes the module to another reader. */
export async function readStatements<Answer>(
  statements: readonly StatementToRead[],
  task: ContextTask,
  reader: StatementReader<Answer>,
): Promise<readonly Answer[]> {
  const answers = new Array<Answer>(statements.length);
  const unread = (index: number, reason: string): void => {
    answers[index] = reader.unread(reason);
  };
  const screened = statements.flatMap(({ header, statement }, index): Screened[] => {
    const above = screenHeader(header ?? task.libraryHeader);
    const text = screenStatement(statement);
    if (!above.accepted || !text.accepted) {
      unread(index, above.accepted ? (text as { refusal: { reason: string } }).refusal.reason : above.reason);
      return [];
    }
    const { imports, rest } = splitImports(above.text);
    const { signature, namespace } = text;
    return [{ index, imports, opens: rest, signature, namespace }];
  });
  for (const group of Map.groupBy(screened, ({ imports }) => imports.join('\n')).values())
    for (let from = 0; from < group.length; from += STATEMENTS_MAX) {
      task.signal?.throwIfAborted();
      const batch = group.slice(from, from + STATEMENTS_MAX);
      const found = await readBatch(batch, task, reader);
      for (const [at, { index }] of batch.entries()) answers[index] = found[at]!;
      await yieldToOthers();
    }
  return answers;
}

/** Reads statements with the same imports. */
async function readBatch<Answer>(
  batch: readonly Screened[],
  task: ContextTask,
  reader: StatementReader<Answer>,
): Promise<readonly Answer[]> {
  const { processContext, memoryBytesMax, signal, indexFolder, source } = task;
  const none = (reason: string): Answer[] => batch.map(() => reader.unread(reason));
  const unreadable = (wrong: ReadonlyMap<number, string>, index: number): Answer =>
    reader.unread(`Lean cannot read it: ${wrong.get(index) ?? 'it says no more'}`);
  const own = await toolchainFolder({ processContext, signal, memoryBytesMax });
  if (own === null) return none('Lean does not say where its library is');
  const directory = join(task.scratchDirectory, `context-${randomBytes(8).toString('hex')}`);
  try {
    const stated = await compileStatements(batch, {
      processContext,
      memoryBytesMax,
      signal,
      importLines: batch[0]!.imports,
      directory,
      form: 'open theorem',
    });
    if (stated.problem !== '') return none(stated.problem);
    if (stated.path === null) return batch.map((_, index) => unreadable(stated.wrong, index));
    const searchPath = [...processContext.environment.searchPath, own];
    const options = { path: stated.path, searchPath, indexFolder, toolchainFolder: own, source };
    const readable = [...batch.entries()].filter(([index]) => !stated.wrong.has(index));
    const names = readable.map(([at, { opens, index, namespace }]) => ({
      index,
      name: statedName(at),
      opened: openedBy(
        [
          ...(hasDefinitions(opens) ? [`namespace ${givenNamespace(at)}`] : []),
          opens,
          ...(namespace === '' ? [] : [`namespace ${namespace}`]),
        ].join('\n'),
      ),
    }));
    const read = await reader.read(names, options);
    const byIndex = new Map(readable.map(([index], order) => [index, read[order]!]));
    return batch.map((_, index) => byIndex.get(index) ?? unreadable(stated.wrong, index));
  } catch (error) {
    signal?.throwIfAborted();
    return none((error as Error).message);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
