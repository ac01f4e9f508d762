/**
 * Compiles and judges one module of a grown library. Proofs that import it are judged on the basis of its declarations,
 * so the same rules apply to it: our own statements, and the second kernel and further checkers for every constant.
 */
import { rm } from 'node:fs/promises';
import type { LeanMessage } from '@stp/config/records';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { splitImports } from '../header.ts';
import { type GrownTheorem, headerOf, signatureOf } from '../kept-theorem.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import type { OnDisagreement } from './disagreement.ts';
import { judgeModule } from './judge-module.ts';
import { compileStatements, type StatedModule, statedName } from './stated-module.ts';

/** Processor time limit, ms: enough for a thousand proofs. */
const MODULE_DEADLINE_MS = 600_000;
/** The same limit as for a file checked for a person. */
const MEMORY_BYTES_MAX = 8_589_934_592;

export interface LibraryModule {
  /** A single identifier: the name of the module and of its file. */
  readonly module: string;
  readonly header: string | null;
  /** Source text. It imports the header's modules, and at most the previous module of the library. */
  readonly source: string;
  readonly theorems: readonly GrownTheorem[];
}

export interface LibraryModuleTask {
  /** Its search path contains the library's previous modules. */
  readonly processContext: ProcessContext;
  /** Folder for the module; it is recreated. */
  readonly directory: string;
  readonly indexFolder: string | null;
  readonly onDisagreement: OnDisagreement | null;
  readonly signal?: AbortSignal | undefined;
}

export type LibraryJudgement =
  /** Lean did not compile the module: its errors, or why it did not finish. */
  | { readonly kind: 'not compiled'; readonly errors: readonly LeanMessage[]; readonly failure: string }
  /** `refused`: the reasons, by theorem. `objection`: an objection to the module and no theorem in particular. */
  | { readonly kind: 'refused'; readonly refused: ReadonlyMap<string, string>; readonly objection: string | null }
  /** Every constant was accepted. `hash` is the SHA-256 of the module, hex. */
  | { readonly kind: 'judged'; readonly hash: string };

/** Warnings that count as errors: a missing proof, and a rewrite rule that `simp` would try on every term. */
const UNFIT_WARNING = /uses [`'‘]sorry|has a variable as head symbol/u;

/**
 * Afterwards `<directory>/<module>.olean` is the judged module. Rejects only with the signal's reason, or if the folder
 * cannot be written.
 */
export async function judgeLibraryModule(library: LibraryModule, task: LibraryModuleTask): Promise<LibraryJudgement> {
  const { module, header, source, theorems } = library;
  const { processContext, directory, signal } = task;
  const compiled = await compileModule({
    processContext,
    module,
    text: source,
    directory,
    signal,
    isImported: true,
    deadlineMs: MODULE_DEADLINE_MS,
    memoryBytesMax: MEMORY_BYTES_MAX,
  });
  const errors = errorsOf(compiled);
  if (compiled.path === null || errors.length > 0)
    return { kind: 'not compiled', errors, failure: compiled.failure || `Lean ended: ${compiled.exit}` };
  const { imports, rest } = splitImports(headerOf(header));
  const bounds = { processContext, signal, memoryBytesMax: MEMORY_BYTES_MAX };
  const statedDirectory = `${directory}.stated`;
  try {
    const statements = await compileStatements(
      theorems.map((theorem) => ({ opens: '', signature: signatureOf(theorem) })),
      { ...bounds, importLines: imports, opening: [rest], directory: statedDirectory },
    );
    return await judgeCompiled(library, statements, task);
  } finally {
    await rm(statedDirectory, { recursive: true, force: true });
  }
}

async function judgeCompiled(
  { module, source, theorems }: LibraryModule,
  statements: StatedModule,
  { processContext, directory, indexFolder, onDisagreement, signal }: LibraryModuleTask,
): Promise<LibraryJudgement> {
  if (statements.problem !== '') return refusedAs(`the statements: ${statements.problem}`);
  const judged = await judgeModule({
    processContext,
    directory,
    module,
    text: source,
    statements,
    indexFolder,
    onDisagreement,
    signal,
    memoryBytesMax: MEMORY_BYTES_MAX,
    asked: theorems.map(({ name }, index) => ({ name, stated: statedName(index) })),
    expected: { importLines: splitImports(source).imports, mayShare: true, mayMark: true },
  });
  if ('unread' in judged) return refusedAs(judged.unread);
  const refused = new Map(
    judged.theorems.flatMap(({ name, objection, kernel, reason }) =>
      objection === null && kernel === 'accepted' ? [] : [[name, objection ?? `the second kernel: ${reason}`] as const],
    ),
  );
  if (refused.size > 0 || judged.objection !== null)
    return { kind: 'refused', refused, objection: refused.size > 0 ? null : judged.objection };
  return { kind: 'judged', hash: judged.objectHash };
}

const refusedAs = (objection: string): LibraryJudgement => ({ kind: 'refused', refused: new Map(), objection });

function errorsOf({ messages }: CompiledModule): LeanMessage[] {
  return messages.filter(({ severity, text }) => severity === 'error' || UNFIT_WARNING.test(text));
}
