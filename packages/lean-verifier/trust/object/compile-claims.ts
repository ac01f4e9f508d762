/**
 * Compiles claimed proofs for judgement: their statements without proofs into one module, the proofs into another, each
 * in a separate process.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectJudgement, VerdictKind } from '@stp/config/records';
import { newModuleName, objectPath } from '../../runtime/process/object-run.ts';
import type { ReadyProcesses } from '../../runtime/process/ready-processes.ts';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { splitImports } from '../header.ts';
import { provedLines, provedName, type WrittenProof } from '../stated-form.ts';
import { optionLines } from '../verdict/batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from '../verdict/limits.ts';
import { type ComparedModule, compileAndCompare, type WrittenTheorem } from './as-written.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import type { OnDisagreement } from './disagreement.ts';
import type { HeaderSnapshots } from './header-snapshots.ts';
import type { RunModule } from './run-objects.ts';
import type { StatedModules } from './stated-module-cache.ts';

export interface Confirmation {
  readonly kind: VerdictKind;
  /** Why it is not proved; empty if it is. */
  readonly reason: string;
  /** Forbidden axioms that it depends on. */
  readonly axioms: readonly string[];
  /** Present if it is proved. */
  readonly judgement?: ObjectJudgement;
  /** Lean's kernel accepts it, and the second kernel rejects it. */
  readonly isDisagreement?: true;
}

export interface ConfirmContext {
  readonly processContext: ProcessContext;
  readonly scratchDirectory: string;
  /** The limits under which the proofs were accepted, or larger ones. */
  readonly limits: Limits;
  /** The header that fixes the statements' meaning, if the proofs' header adds a grown library to it. */
  readonly statedUnder?: string;
  /** That header as it came. */
  readonly writtenUnder: string;
  readonly indexFolder: string | null;
  readonly onDisagreement: OnDisagreement | null;
  /** Compiled statements and started processes that are kept between batches. Missing: none are kept. */
  readonly kept?: {
    readonly snapshots: HeaderSnapshots;
    readonly statements: StatedModules;
    readonly ready: ReadyProcesses;
  };
  /**
   * Starts the work if one more Lean process may run on this host now; otherwise returns null. Missing: no further
   * process may run.
   */
  readonly beside?: (<T>(work: () => Promise<T>) => Promise<T> | null) | undefined;
  readonly signal: AbortSignal;
}

/** A proof, and its statement as it came. */
export type Claim = WrittenProof & WrittenTheorem;

/** Our record of the claims' statements. */
export interface Statements extends ComparedModule {
  /** Index in the record of each statement, by its text as it came. */
  readonly indexOf: ReadonlyMap<string, number>;
}

/** A module of proofs that has not been judged. */
export interface CompiledProofs extends Omit<RunModule, 'bytes'> {
  readonly module: string;
  /** Folder of the module. */
  readonly directory: string;
  /** Lean read the proofs one after another, so a later proof may share what Lean made for an earlier one. */
  readonly isInOrder: boolean;
}

export interface Mixed {
  readonly mixed: Confirmation;
  readonly blamed: ReadonlySet<number>;
  /** Set if it is the only objection: the proofs that depend on what Lean made for another proof. */
  readonly sharing?: ReadonlySet<number>;
}

/** Compiles the statement of a proof in advance, so that it is cached. Never rejects. */
export async function compileStatementAhead(
  claim: Claim & { readonly header: string },
  context: ConfirmContext,
): Promise<void> {
  const directory = join(context.scratchDirectory, `ahead-${randomBytes(8).toString('hex')}`);
  try {
    await compileStatementsOf(claim.header, [claim], context, directory);
  } catch {
    // The next caller tries again and gets the error.
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Compiles the statements without proofs. `mixed`: one of them could not be compiled. */
export async function compileStatementsOf(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
  directory: string,
): Promise<Statements | Mixed> {
  const { processContext, limits, signal, indexFolder, statedUnder = header, writtenUnder, kept } = context;
  // Several samples may prove the same statement.
  const theorems = [...Map.groupBy(claims, ({ statement }) => statement).values()].map(([claim]) => {
    const { statement, signature, namespace } = claim!;
    return { statement, signature, namespace };
  });
  const stated = splitImports(statedUnder);
  const task = {
    processContext,
    signal,
    memoryBytesMax: limits.memoryBytesMax,
    directory,
    writtenUnder,
    indexFolder,
    importLines: stated.imports,
    opening: [stated.rest, ...optionLines(limits, statedUnder)],
    snapshots: kept?.snapshots,
    ready: kept?.ready,
  };
  const statements = await (kept?.statements.compile(theorems, task) ?? compileAndCompare(theorems, task));
  if (statements.problem !== '') return mixed(refused('infra', `the statements: ${statements.problem}`));
  const indexOf = new Map(theorems.map(({ statement }, index) => [statement, index]));
  const unread = [...statements.wrong.values()][0];
  if (unread === undefined) return { ...statements, indexOf };
  const isUnread = ({ statement }: Claim): boolean => statements.wrong.has(indexOf.get(statement)!);
  const blamed = new Set(claims.flatMap((claim, index) => (isUnread(claim) ? [index] : [])));
  return mixed(refused('header_error', `the statement: ${unread}`), blamed);
}

/** Compiles the proofs in a separate process. */
export async function compileProofs(
  header: string,
  claims: readonly Claim[],
  { processContext, limits, signal, kept }: ConfirmContext,
  directory: string,
): Promise<CompiledProofs | Mixed> {
  const module = newModuleName();
  const nonce = randomBytes(8).toString('hex');
  const names = claims.map((claim, index) => provedName(`_stp${nonce}_proof${index}`, claim, header));
  const { imports, rest } = splitImports(header);
  const lines = [...imports, rest, ...optionLines(limits, header)].flatMap((text) => text.split('\n'));
  const lastLines = claims.map((claim, index) => {
    for (const text of provedLines(names[index]!, claim).lines) lines.push(...text.split('\n'));
    return lines.length;
  });
  const text = `${lines.join('\n')}\n`;
  const { memoryBytesMax } = limits;
  // Not one after another: then a proof may depend on what Lean made for another one, and would have to be checked
  // separately.
  const task = {
    module,
    directory,
    processContext,
    text,
    signal,
    memoryBytesMax,
    ready: kept?.ready,
    deadlineMs: HEADER_TIMEOUT_MS + claims.length * limits.candidateTimeoutMs,
  };
  const compiled = await (kept?.snapshots.compile(imports, task) ?? compileModule(task));
  const { ms, peakResidentBytes } = compiled;
  if (compiled.path !== null)
    return {
      ...{ module, directory, text, names: names.map(({ full }) => full), isInOrder: false },
      ms,
      peakResidentBytes,
      memoryBytesMax,
    };
  const errors = compiled.messages.filter(({ severity }) => severity === 'error');
  // The positions of Lean's errors decide only which proofs are tried together.
  const blamed = new Set(errors.map(({ line }) => lastLines.findIndex((last) => line <= last)));
  return mixed(notCompiled(compiled), blamed);
}

/** Writes an existing module to the folder in which it is judged. */
export async function layOut(written: RunModule, directory: string): Promise<CompiledProofs> {
  const module = newModuleName();
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, `${module}.lean`), written.text);
  await writeFile(objectPath({ directory, module }), written.bytes);
  return { ...written, module, directory, isInOrder: true };
}

export const mixed = (confirmation: Confirmation, blamed: ReadonlySet<number> = new Set()): Mixed => ({
  mixed: confirmation,
  blamed,
});

function notCompiled({ exit, failure, messages }: CompiledModule): Confirmation {
  switch (exit) {
    case 'deadline':
      return refused('timeout', failure);
    case 'memory':
    case 'output':
      return refused('oom', failure);
    case 'crashed':
      return refused('crash', failure);
    case 'not-started':
      return refused('infra', failure);
    case 'finished': {
      const error = messages.find(({ severity }) => severity === 'error')?.text;
      return refused('rejected', failure || `it does not hold in a module of its own: ${error ?? 'Lean says no more'}`);
    }
  }
}

export const refused = (kind: VerdictKind, reason: string): Confirmation => ({ kind, reason, axioms: [] });
