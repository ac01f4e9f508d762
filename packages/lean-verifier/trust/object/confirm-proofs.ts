/**
 * Judges the compiled modules of proofs that Lean accepted in a trial. Every proof gets exactly this judgement. The
 * proofs of a header are compiled into one module, their statements without proofs into another, and the first module
 * must contain exactly what these proofs may contain. If it contains anything else, the proof that caused it is
 * unknown, so the batch is split, down to single proofs. The trial may already have made the module; if anything is
 * wrong with it, it is compiled again first. A certificate is the record of a module without objections.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@stp/config/ids';
import type { CheckRecord } from '@stp/config/records';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { noSandbox } from '../../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { splitImports } from '../header.ts';
import { grownAmong } from '../kept-theorem.ts';
import {
  type Claim,
  type CompiledProofs,
  type Confirmation,
  type ConfirmContext,
  compileProofs,
  compileStatementsOf,
  layOut,
  type Mixed,
  mixed,
  refused,
  type Statements,
} from './compile-claims.ts';
import type { TheoremFinding } from './findings.ts';
import { changedGrownObject, grownHash } from './grown-objects.ts';
import { isRefused, type JudgedModule, judgeModule } from './judge-module.ts';
import type { RunModule } from './run-objects.ts';
import { inParts, splitSharing, splitSuspects } from './split-claims.ts';

/**
 * Claim if the library's proofs are present: every declaration that the theorem depends on was checked or is a standard
 * axiom.
 */
const CLAIM = 'kernel-checked';
/** Claim with an assembled Lean, whose library has only statements: a proof is as reliable as these. */
const CLAIM_WITHOUT_LIBRARY_PROOFS = "kernel-checked against the library's statements";

const claimOf = ({ toleratesLibraryAxioms }: LeanEnvironment): string =>
  toleratesLibraryAxioms ? CLAIM_WITHOUT_LIBRARY_PROOFS : CLAIM;

/**
 * Returns one confirmation per claim, in order. Rejects only with the signal's reason, or if the scratch folder cannot
 * be written.
 */
export async function confirmProofs(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
  /** The module that the trial made of these proofs; null if there is none. */
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
    return await inParts(claims, splitSuspects(claims.length, statements.blamed), (part) =>
      confirmProofs(header, part, context),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface StatedTask {
  readonly header: string;
  readonly context: ConfirmContext;
  /** The statements of these claims, and possibly of others. */
  readonly statements: Statements;
  /** Folder for the module of the proofs; it is recreated. */
  readonly directory: string;
}

async function confirmStated(
  claims: readonly Claim[],
  task: StatedTask,
  given: CompiledProofs | Mixed | null,
): Promise<readonly Confirmation[]> {
  const again = (part: readonly Claim[]): Promise<readonly Confirmation[]> => confirmStated(part, task, null);
  if (claims.length === 0) return [];
  const proofs = given ?? (await compileProofs(task.header, claims, task.context, task.directory));
  const found = 'mixed' in proofs ? proofs : await judgeCompiled(claims, task, proofs);
  if ('mixed' in found) {
    if ('isInOrder' in proofs && proofs.isInOrder) return again(claims);
    if (claims.length === 1) return [found.mixed];
    const parts = found.sharing ? splitSharing(claims, found.sharing) : splitSuspects(claims.length, found.blamed);
    return inParts(claims, parts, again);
  }
  const open = found.flatMap((confirmation, index) => (confirmation === null ? [index] : []));
  const others = await inParts(claims, [open], again);
  return found.map((confirmation, index) => confirmation ?? others[index]!);
}

/**
 * One confirmation per claim; null if this module does not decide it. `mixed`: for a single proof its finding, which
 * for several proofs cannot be attributed; `blamed` are suspects.
 */
type Looked = readonly (Confirmation | null)[] | Mixed;

async function judgeCompiled(
  claims: readonly Claim[],
  { header, context, statements }: StatedTask,
  compiled: CompiledProofs,
): Promise<Looked> {
  const { processContext, limits, signal, indexFolder, onDisagreement } = context;
  const { text, names, module, directory, isInOrder } = compiled;
  const judged = await judgeModule({
    processContext,
    signal,
    memoryBytesMax: limits.memoryBytesMax,
    indexFolder,
    onDisagreement,
    module,
    directory,
    text,
    asked: claims.map(({ statement }, index) => ({
      name: names[index]!,
      stated: statements.names[statements.indexOf.get(statement)!]!,
    })),
    statements,
    isMadeAnew: isInOrder,
    expected: { importLines: splitImports(header).imports, mayShare: false, mayMark: false },
  });
  if ('unread' in judged) return mixed(refused('timeout', `its object was not read: ${judged.unread}`));
  const changed = await changedGrownObject(processContext.environment);
  if (changed !== null) return mixed(refused('infra', changed));
  const record = moduleRecord(compiled, judged, processContext);
  return objectionTo(judged, isInOrder) ?? judged.theorems.map((theorem) => confirmationOf(theorem, record, judged));
}

const sharesLemma = ({ restsOn, objection }: TheoremFinding): boolean =>
  objection !== null && restsOn === 'another proof';

/**
 * Returns what is wrong with the module, or null.
 *
 * @param isInOrder Lean read the proofs one after another, so a proof may rest on a lemma of an earlier one. Such a proof
 *   is compiled separately and is no objection to the module.
 */
function objectionTo(judged: JudgedModule, isInOrder: boolean): Mixed | null {
  const { theorems, objection } = judged;
  const indicesOf = (isWrong: (theorem: TheoremFinding) => boolean): number[] =>
    theorems.flatMap((theorem, index) => (isWrong(theorem) ? [index] : []));
  const misread = indicesOf((theorem) => theorem.misread !== undefined);
  if (misread.length > 0) return mixed(refused('header_error', theorems[misread[0]!]!.misread!), new Set(misread));
  const wrong = indicesOf((theorem) => isRefused(theorem) || (!isInOrder && sharesLemma(theorem)));
  if (objection === null && wrong.length === 0) return null;
  if (objection === null && wrong.every((index) => sharesLemma(theorems[index]!)))
    return { ...mixed(againstOne(judged)), sharing: new Set(wrong) };
  return mixed(againstOne(judged), new Set(wrong.length === theorems.length ? [] : wrong));
}

/** Returns the part of the judgement that the proofs of a module have in common. */
function moduleRecord(compiled: CompiledProofs, judged: JudgedModule, { environment, sandbox }: ProcessContext) {
  const checkedByLean = { by: 'lean', version: environment.version, outcome: 'accepted', ms: Math.round(compiled.ms) };
  return {
    fileHash: sha256(compiled.text),
    objectHash: judged.objectHash,
    libraryHash: grownHash(environment),
    checks: [checkedByLean as CheckRecord, ...judged.checks],
    claim: claimOf(environment),
    sandbox: (sandbox ?? noSandbox('none was asked for')).facts,
    memory: { bytesMax: compiled.memoryBytesMax, peakBytes: compiled.peakResidentBytes },
    times: { compileMs: Math.round(compiled.ms), ...rounded(judged.times) },
  };
}

/** Returns null for a proof that rests on another proof's lemma: this module does not decide it. */
function confirmationOf(
  theorem: TheoremFinding,
  record: ReturnType<typeof moduleRecord>,
  { declinedBy: decliners }: JudgedModule,
): Confirmation | null {
  const { name, kernel, reason, axioms, mentions } = theorem;
  if (sharesLemma(theorem)) return null;
  if (kernel !== 'accepted') return refused('timeout', `the second kernel could not decide it: ${reason}`);
  // A checker that declined another theorem of the module has accepted this one.
  const declinedBy = decliners.get(name)!;
  const checks = record.checks.map((check) =>
    check.outcome !== 'declined' || declinedBy.includes(check.by) ? check : { ...check, outcome: 'accepted' as const },
  );
  const judgement = { ...record, checks, axioms: [...axioms], restsOn: grownAmong(mentions) };
  return { kind: 'proved', reason: '', axioms: [], judgement };
}

function valueIn<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

/** The verdict on a single proof whose module had an objection. */
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
