/**
 * Compiles and judges one module of a grown library. Proofs that import it are judged over what it declares, so it is
 * held to the same rules as they are: our own statements, the second kernel and the further checkers, every constant.
 */
import { rm } from 'node:fs/promises';
import type { LeanMessage } from '@stp/config/records';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { splitImports } from '../header.ts';
import { type GrownTheorem, headerOf, signatureOf } from '../kept-theorem.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import { judgeModule } from './judge-module.ts';
import { compileStatements, type StatedModule, statedName } from './stated-module.ts';

/** Enough for a thousand proofs of a few seconds each. */
const MODULE_DEADLINE_MS = 600_000;
/** As for a whole file of a person. */
const MEMORY_BYTES_MAX = 8_589_934_592;

export interface LibraryModule {
  /** A plain word, the module's name and its file's. */
  readonly module: string;
  readonly header: string | null;
  /** Imports the header's modules, and at most the library's module before it. */
  readonly source: string;
  readonly theorems: readonly GrownTheorem[];
}

export interface LibraryModuleTask {
  /** Its search path finds the library's modules before this one. */
  readonly place: ProcessPlace;
  /** Made anew for the module. */
  readonly directory: string;
  readonly indexFolder: string | null;
  readonly disagreementsFolder: string | null;
  readonly signal?: AbortSignal | undefined;
}

export type LibraryJudgement =
  /** Lean did not compile it: its errors, or why it came to no end. */
  | { readonly kind: 'not compiled'; readonly errors: readonly LeanMessage[]; readonly failure: string }
  /** `refused`: why, by theorem; `objection`: against the module and no theorem in particular. */
  | { readonly kind: 'refused'; readonly refused: ReadonlyMap<string, string>; readonly objection: string | null }
  /** Every constant of it was accepted; the SHA-256 of the module, hex. */
  | { readonly kind: 'judged'; readonly hash: string };

/** Warnings that count as errors: a proof that is missing, and a rewrite rule that would be tried on every term. */
const UNFIT_WARNING = /uses [`'‘]sorry|has a variable as head symbol/u;

/** `<directory>/<module>.olean` is the module where it is judged. Rejects only with the signal's reason, or where the folder cannot be written. */
export async function judgeLibraryModule(library: LibraryModule, task: LibraryModuleTask): Promise<LibraryJudgement> {
  const { module, header, source, theorems } = library;
  const { place, directory, signal } = task;
  const compiled = await compileModule({
    place,
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
  const bounds = { place, signal, memoryBytesMax: MEMORY_BYTES_MAX };
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
  { place, directory, indexFolder, disagreementsFolder, signal }: LibraryModuleTask,
): Promise<LibraryJudgement> {
  if (statements.problem !== '') return refusedAs(`the statements: ${statements.problem}`);
  const judged = await judgeModule({
    place,
    directory,
    module,
    text: source,
    statements,
    indexFolder,
    disagreementsFolder,
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
