/**
 * Judges proofs that Lean accepted in the screen as objects; this is the one judgement that a proof gets. The proofs of
 * one header are compiled into one module, their statements without them into another, and the first module must contain
 * exactly what these proofs may contain. The screen may have left that module already; if anything is wrong with it, it is
 * made anew. If it contains anything else, no one can tell which proof caused that, so the
 * batch is parted, down to single proofs. A certificate is the record of the module in which nothing was objected to.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@stp/config/ids';
import type { ObjectJudgement, VerdictKind } from '@stp/config/records';
import { objectPath } from '../../runtime/process/object-run.ts';
import type { ReadyProcesses } from '../../runtime/process/ready-processes.ts';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { noSandbox } from '../../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { splitImports } from '../header.ts';
import { grownAmong } from '../kept-theorem.ts';
import { provedLines, provedName, type WrittenProof } from '../stated-form.ts';
import { optionLines } from '../verdict/batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from '../verdict/limits.ts';
import { type ComparedModule, compileAndCompare, type WrittenTheorem } from './as-written.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import type { TheoremFinding } from './findings.ts';
import { changedGrownObject, grownHash } from './grown-objects.ts';
import type { HeaderSnapshots } from './header-snapshots.ts';
import { isRefused, type JudgedModule, judgeModule } from './judge-module.ts';
import type { RunModule } from './run-objects.ts';
import type { StatedModules } from './stated-modules.ts';

export interface Confirmation {
  readonly kind: VerdictKind;
  /** Why it is not proved; empty where it is. */
  readonly reason: string;
  /** The forbidden ones that it rests on. */
  readonly axioms: readonly string[];
  /** There where it is proved. */
  readonly judgement?: ObjectJudgement;
  /** Lean's kernel accepts it, and the second one refuses it. */
  readonly isDisagreement?: true;
}

export interface ConfirmContext {
  readonly place: ProcessPlace;
  readonly scratchDirectory: string;
  /** Under which the proofs were accepted, or wider. */
  readonly limits: Limits;
  /** The header that fixes what the statements mean, where the proofs' header adds a grown library to it. */
  readonly statedUnder?: string;
  /** That header as it came. */
  readonly writtenUnder: string;
  readonly indexFolder: string | null;
  readonly disagreementsFolder: string | null;
  /** What is kept from one batch to the next; without it nothing is. */
  readonly kept?: {
    readonly snapshots: HeaderSnapshots;
    readonly statements: StatedModules;
    readonly ready: ReadyProcesses;
  };
  /** Begins the work if one more Lean process may run on this host now, else null. Missing: none may. */
  readonly beside?: (<T>(work: () => Promise<T>) => Promise<T> | null) | undefined;
  readonly signal: AbortSignal;
}

/** Claim if the library's proofs are there: every declaration that the theorem rests on was checked or is a standard axiom. */
const CLAIM = 'kernel-checked';
/** An assembled Lean has its library's statements only, so a proof stands or falls with them. */
const CLAIM_WITHOUT_LIBRARY_PROOFS = "kernel-checked against the library's statements";

const claimOf = ({ toleratesLibraryAxioms }: LeanEnvironment): string =>
  toleratesLibraryAxioms ? CLAIM_WITHOUT_LIBRARY_PROOFS : CLAIM;

/** A proof, and its statement as it came. */
export type Claim = WrittenProof & WrittenTheorem;

/** A confirmation each, in order. Rejects only with the signal's reason, or where the scratch folder cannot be written. */
export async function confirmProofs(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
  /** What the screen left of these proofs. */
  written: RunModule | null = null,
): Promise<readonly Confirmation[]> {
  if (claims.length === 0) return [];
  const directory = join(context.scratchDirectory, `confirm-${randomBytes(8).toString('hex')}`);
  try {
    const proofs = join(directory, 'proofs');
    const [stated, compiled] = await Promise.allSettled([
      compileStatementsOf(header, claims, context, join(directory, 'stated')),
      written === null
        ? context.beside?.(() => compileProofs(header, claims, context, proofs))
        : layOut(written, proofs),
    ]);
    const statements = valueIn(stated);
    if (!('mixed' in statements))
      return await confirmStated(claims, { header, context, statements, directory: proofs }, valueIn(compiled) ?? null);
    if (claims.length === 1) return [statements.mixed];
    return await inParts(claims, parted(claims.length, statements.blamed), (part) =>
      confirmProofs(header, part, context),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Has the statement of a proof compiled before anyone asks, so that it is kept. Never rejects. */
export async function compileStatementAhead(
  claim: Claim & { readonly header: string },
  context: ConfirmContext,
): Promise<void> {
  const directory = join(context.scratchDirectory, `ahead-${randomBytes(8).toString('hex')}`);
  try {
    await compileStatementsOf(claim.header, [claim], context, directory);
  } catch {
    // Whoever needs it tries again, and is told.
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Our own record of the claims' statements. */
interface Statements extends ComparedModule {
  /** Of each statement as it came, in the record. */
  readonly placeOf: ReadonlyMap<string, number>;
}

interface StatedTask {
  readonly header: string;
  readonly context: ConfirmContext;
  /** Of these claims and maybe others. */
  readonly statements: Statements;
  /** For the module of the proofs; made anew. */
  readonly directory: string;
}

/** A module of proofs that nobody has judged. */
interface CompiledProofs extends Omit<RunModule, 'bytes'> {
  readonly module: string;
  /** Where it lies. */
  readonly directory: string;
  /** Lean read one proof after the other, where a later one may share what it made for an earlier one. */
  readonly isInOrder: boolean;
}

async function confirmStated(
  claims: readonly Claim[],
  task: StatedTask,
  given: CompiledProofs | Mixed | null,
): Promise<readonly Confirmation[]> {
  const again = (part: readonly Claim[]): Promise<readonly Confirmation[]> => confirmStated(part, task, null);
  if (claims.length === 0) return [];
  const proofs = given ?? (await compileProofs(task.header, claims, task.context, task.directory));
  const found = 'mixed' in proofs ? proofs : await lookAt(claims, task, proofs);
  if ('mixed' in found) {
    if ('isInOrder' in proofs && proofs.isInOrder) return again(claims);
    if (claims.length === 1) return [found.mixed];
    return inParts(claims, parted(claims.length, found.blamed), again);
  }
  const open = found.flatMap((confirmation, index) => (confirmation === null ? [index] : []));
  const apart = await inParts(claims, [open], again);
  return found.map((confirmation, index) => confirmation ?? apart[index]!);
}

/** Confirms parts of the claims, by their places, one after the other. */
async function inParts(
  claims: readonly Claim[],
  parts: readonly (readonly number[])[],
  confirm: (part: readonly Claim[]) => Promise<readonly Confirmation[]>,
): Promise<readonly Confirmation[]> {
  const confirmations: Confirmation[] = [];
  for (const part of parts) {
    const own = await confirm(part.map((index) => claims[index]!));
    for (const [at, index] of part.entries()) confirmations[index] = own[at]!;
  }
  return confirmations;
}

/**
 * Null: it is not told of by this module. `mixed`: the finding for a proof that was alone; for several it cannot be assigned to one, and
 * `blamed` are suspects.
 */
type Looked = readonly (Confirmation | null)[] | Mixed;

interface Mixed {
  readonly mixed: Confirmation;
  readonly blamed: ReadonlySet<number>;
}

/** Two smaller parts: the suspects and the rest, or halves where nobody or everybody is a suspect. */
function parted(count: number, blamed: ReadonlySet<number>): number[][] {
  const all = Array.from({ length: count }, (_, index) => index);
  const parts = [all.filter((index) => !blamed.has(index)), all.filter((index) => blamed.has(index))];
  if (parts.every(({ length }) => length > 0)) return parts;
  const half = Math.ceil(count / 2);
  return [all.slice(0, half), all.slice(half)];
}

/** Compiles the statements, without a proof. `mixed`: of one of them nothing is known. */
async function compileStatementsOf(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
  directory: string,
): Promise<Statements | Mixed> {
  const { place, limits, signal, indexFolder, statedUnder = header, writtenUnder, kept } = context;
  // Many samples prove one statement.
  const theorems = [...Map.groupBy(claims, ({ statement }) => statement).values()].map(([claim]) => {
    const { statement, signature, namespace } = claim!;
    return { statement, signature, namespace };
  });
  const stated = splitImports(statedUnder);
  const task = {
    ...{ place, signal, memoryBytesMax: limits.memoryBytesMax, directory, writtenUnder, indexFolder },
    importLines: stated.imports,
    opening: [stated.rest, ...optionLines(limits, statedUnder)],
    ...{ snapshots: kept?.snapshots, ready: kept?.ready },
  };
  const statements = await (kept?.statements.compile(theorems, task) ?? compileAndCompare(theorems, task));
  if (statements.problem !== '') return mixed(refused('infra', `the statements: ${statements.problem}`));
  const placeOf = new Map(theorems.map(({ statement }, place) => [statement, place]));
  const unread = [...statements.wrong.values()][0];
  if (unread === undefined) return { ...statements, placeOf };
  const isUnread = ({ statement }: Claim): boolean => statements.wrong.has(placeOf.get(statement)!);
  const blamed = new Set(claims.flatMap((claim, index) => (isUnread(claim) ? [index] : [])));
  return mixed(refused('header_error', `the statement: ${unread}`), blamed);
}

async function lookAt(
  claims: readonly Claim[],
  { header, context, statements }: StatedTask,
  compiled: CompiledProofs,
): Promise<Looked> {
  const { place, limits, signal, indexFolder, disagreementsFolder } = context;
  const { text, names, module, directory } = compiled;
  const asked = claims.map(({ statement }, index) => ({
    name: names[index]!,
    stated: statements.names[statements.placeOf.get(statement)!]!,
  }));
  const judged = await judgeModule({
    ...{ place, signal, memoryBytesMax: limits.memoryBytesMax, indexFolder, disagreementsFolder },
    ...{ module, directory, text, asked, statements },
    expected: { importLines: splitImports(header).imports, mayShare: false, mayMark: false },
  });
  if ('unread' in judged) return mixed(refused('timeout', `its object was not read: ${judged.unread}`));
  const changed = await changedGrownObject(place.environment);
  if (changed !== null) return mixed(refused('infra', changed));
  const { theorems: found, objection } = judged;
  const misread = found.flatMap((theorem, index) => (theorem.misread === undefined ? [] : [index]));
  if (misread.length > 0) return mixed(refused('header_error', found[misread[0]!]!.misread!), new Set(misread));
  // In a module that was made in order such a proof is compiled apart.
  const shares = ({ restsOn, objection }: TheoremFinding): boolean => objection !== null && restsOn === 'another proof';
  const wrong = found.flatMap((theorem, index) =>
    isRefused(theorem) || (!compiled.isInOrder && shares(theorem)) ? [index] : [],
  );
  if (objection !== null || wrong.length > 0)
    return mixed(againstOne(judged), new Set(wrong.length === claims.length ? [] : wrong));
  const { sandbox = noSandbox('none was asked for'), environment } = place;
  const record = {
    fileHash: sha256(text),
    objectHash: judged.objectHash,
    libraryHash: grownHash(environment),
    checks: [
      { by: 'lean', version: environment.version, outcome: 'accepted' as const, ms: Math.round(compiled.ms) },
      ...judged.checks,
    ],
    sandbox: sandbox.facts,
    memory: { bytesMax: compiled.memoryBytesMax, peakBytes: compiled.peakResidentBytes },
    times: { compileMs: Math.round(compiled.ms), ...rounded(judged.times) },
  };
  return found.map((theorem) => {
    const { name, kernel, reason, axioms, mentions } = theorem;
    if (shares(theorem)) return null;
    if (kernel !== 'accepted') return refused('timeout', `the second kernel could not decide it: ${reason}`);
    // A checker that could not tell of a neighbour accepted this one.
    const declinedBy = judged.declinedBy.get(name)!;
    const checks = record.checks.map((check) =>
      check.outcome !== 'declined' || declinedBy.includes(check.by)
        ? check
        : { ...check, outcome: 'accepted' as const },
    );
    const judgement = {
      ...record,
      checks,
      axioms: [...axioms],
      claim: claimOf(environment),
      restsOn: grownAmong(mentions),
    };
    return { kind: 'proved', reason: '', axioms: [], judgement };
  });
}

/** Compiles the proofs in a process of their own. */
async function compileProofs(
  header: string,
  claims: readonly Claim[],
  { place, limits, signal, kept }: ConfirmContext,
  directory: string,
): Promise<CompiledProofs | Mixed> {
  const module = moduleName();
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
  // Not in order: what Lean then makes for one proof another rests on, and they would have to be looked at apart.
  const task = {
    ...{ module, directory, place, text, signal, memoryBytesMax, ready: kept?.ready },
    deadlineMs: HEADER_TIMEOUT_MS + claims.length * limits.candidateTimeoutMs,
  };
  const compiled = await (kept?.snapshots.compile(imports, task) ?? compileModule(task));
  const { ms, peakResidentBytes } = compiled;
  if (compiled.path !== null)
    return {
      ...{ module, directory, text, names: names.map(({ full }) => full), isInOrder: false },
      ...{ ms, peakResidentBytes, memoryBytesMax },
    };
  const errors = compiled.messages.filter(({ severity }) => severity === 'error');
  // Where Lean says that errors are decides what is tried beside what, and nothing else.
  const blamed = new Set(errors.map(({ line }) => lastLines.findIndex((last) => line <= last)));
  return mixed(notCompiled(compiled), blamed);
}

/** Puts a module that is there already where it is judged. */
async function layOut(written: RunModule, directory: string): Promise<CompiledProofs> {
  const module = moduleName();
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, `${module}.lean`), written.text);
  await writeFile(objectPath({ directory, module }), written.bytes);
  return { ...written, module, directory, isInOrder: true };
}

const moduleName = (): string => `Stp${randomBytes(8).toString('hex')}`;

function valueIn<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

const mixed = (confirmation: Confirmation, blamed: ReadonlySet<number> = new Set()): Mixed => ({
  mixed: confirmation,
  blamed,
});

/** Of a proof that stood alone in a module to which something was objected. */
function againstOne({ theorems, objection }: JudgedModule): Confirmation {
  const wrong = theorems.find((theorem) => theorem.objection !== null || theorem.kernel === 'rejected');
  const otherwise = wrong?.objection ?? objection;
  const reason = otherwise ?? `the second kernel refuses it: ${wrong?.reason}`;
  return {
    kind: wrong?.restsOn === 'sorry' ? 'sorry' : 'rejected',
    reason,
    axioms: wrong?.restsOn === 'axioms' ? wrong.axioms : [],
    ...(otherwise === null ? { isDisagreement: true } : {}),
  };
}

const rounded = ({ objectMs, checksMs }: JudgedModule['times']): JudgedModule['times'] => ({
  objectMs: Math.round(objectMs),
  checksMs: Math.round(checksMs),
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

const refused = (kind: VerdictKind, reason: string): Confirmation => ({ kind, reason, axioms: [] });
