/**
 * Judges proofs that Lean accepted in the screen as objects; this is the one judgement that a proof gets. The proofs of
 * one header are compiled into one module, their statements without them into another, and the first module must contain
 * exactly what these proofs may contain. If it contains anything else, no one can tell which proof caused that, so the
 * batch is parted, down to single proofs. A certificate is the record of the module in which nothing was objected to.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@stp/config/ids';
import type { ObjectJudgement, VerdictKind } from '@stp/config/records';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { noSandbox } from '../../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { splitImports } from '../header.ts';
import { grownAmong } from '../kept-theorem.ts';
import { provedLines, provedName, type WrittenProof } from '../stated-form.ts';
import { optionLines } from '../verdict/batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from '../verdict/limits.ts';
import { compileAndCompare, type WrittenTheorem } from './as-written.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import { changedGrownObject, grownHash } from './grown-objects.ts';
import type { HeaderSnapshots } from './header-snapshots.ts';
import { type JudgedModule, judgeModule } from './judge-module.ts';
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
  readonly kept?: { readonly snapshots: HeaderSnapshots; readonly statements: StatedModules };
  readonly signal: AbortSignal;
}

/** Claim if the library's proofs are there: every declaration that the theorem rests on was checked or is a standard axiom. */
const CLAIM = 'kernel-checked';
/** An assembled Lean has its library's statements only, so a proof stands or falls with them. */
const CLAIM_WITHOUT_LIBRARY_PROOFS = "kernel-checked against the library's statements";

function claimOf({ toleratesLibraryAxioms }: LeanEnvironment, assumed: number): string {
  const claim = toleratesLibraryAxioms ? CLAIM_WITHOUT_LIBRARY_PROOFS : CLAIM;
  if (assumed === 0) return claim;
  return `${claim}, and against ${assumed} earlier ${assumed === 1 ? 'theorem' : 'theorems'} of its module that its problem set assumes`;
}

/** A proof, and its statement as it came. */
export type Claim = WrittenProof & WrittenTheorem;

/** A confirmation each, in order. Rejects only with the signal's reason, or where the scratch folder cannot be written. */
export async function confirmProofs(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
): Promise<readonly Confirmation[]> {
  if (claims.length === 0) return [];
  const directory = join(context.scratchDirectory, `confirm-${randomBytes(8).toString('hex')}`);
  let found: Looked;
  try {
    found = await lookAt(header, claims, context, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  if (!('mixed' in found)) return found;
  if (claims.length === 1) return [found.mixed];
  const confirmations: Confirmation[] = [];
  for (const part of parted(claims.length, found.blamed)) {
    const own = await confirmProofs(
      header,
      part.map((index) => claims[index]!),
      context,
    );
    for (const [at, index] of part.entries()) confirmations[index] = own[at]!;
  }
  return confirmations;
}

/** `mixed`: the finding for a proof that was alone; for several it cannot be assigned to one, and `blamed` are suspects. */
type Looked = readonly Confirmation[] | { readonly mixed: Confirmation; readonly blamed: ReadonlySet<number> };

/** Two smaller parts: the suspects and the rest, or halves where nobody or everybody is a suspect. */
function parted(count: number, blamed: ReadonlySet<number>): number[][] {
  const all = Array.from({ length: count }, (_, index) => index);
  const parts = [all.filter((index) => !blamed.has(index)), all.filter((index) => blamed.has(index))];
  if (parts.every(({ length }) => length > 0)) return parts;
  const half = Math.ceil(count / 2);
  return [all.slice(0, half), all.slice(half)];
}

async function lookAt(
  header: string,
  claims: readonly Claim[],
  context: ConfirmContext,
  directory: string,
): Promise<Looked> {
  const { place, limits, signal, indexFolder, disagreementsFolder, statedUnder = header, writtenUnder, kept } = context;
  const bounds = { place, signal, memoryBytesMax: limits.memoryBytesMax };
  const nonce = randomBytes(8).toString('hex');
  const names = claims.map((claim, index) => provedName(`_stp${nonce}_proof${index}`, claim, header));
  // Many samples prove one statement.
  const theorems = [...Map.groupBy(claims, ({ statement }) => statement).values()].map(([claim]) => {
    const { statement, signature, namespace } = claim!;
    return { statement, signature, namespace };
  });
  const stated = splitImports(statedUnder);
  const statedTask = {
    ...bounds,
    importLines: stated.imports,
    opening: [stated.rest, ...optionLines(limits, statedUnder)],
    directory: join(directory, 'stated'),
    writtenUnder,
    indexFolder,
    snapshots: kept?.snapshots,
  };
  const statements = await (kept?.statements.compile(theorems, statedTask) ?? compileAndCompare(theorems, statedTask));
  if (statements.problem !== '') return mixed(refused('infra', `the statements: ${statements.problem}`));
  const placeOf = new Map(theorems.map(({ statement }, place) => [statement, place]));
  const unread = [...statements.wrong.values()][0];
  if (unread !== undefined) {
    const isUnread = ({ statement }: Claim): boolean => statements.wrong.has(placeOf.get(statement)!);
    const blamed = new Set(claims.flatMap((claim, index) => (isUnread(claim) ? [index] : [])));
    return mixed(refused('header_error', `the statement: ${unread}`), blamed);
  }
  const { imports: importLines, rest } = splitImports(header);
  const lines = [...importLines, rest, ...optionLines(limits, header)].flatMap((text) => text.split('\n'));
  const lastLines = claims.map((claim, index) => {
    for (const text of provedLines(names[index]!, claim).lines) lines.push(...text.split('\n'));
    return lines.length;
  });
  const text = `${lines.join('\n')}\n`;
  const module = `Stp${nonce}`;
  // Not in order: what Lean then makes for one proof another rests on, and they would have to be looked at apart.
  const proofsTask = {
    ...bounds,
    module,
    text,
    directory: join(directory, 'proofs'),
    deadlineMs: HEADER_TIMEOUT_MS + claims.length * limits.candidateTimeoutMs,
  };
  const compiled = await (kept?.snapshots.compile(importLines, proofsTask) ?? compileModule(proofsTask));
  if (compiled.path === null) {
    const errors = compiled.messages.filter(({ severity }) => severity === 'error');
    // Where Lean says that errors are decides what is tried beside what, and nothing else.
    const blamed = new Set(errors.map(({ line }) => lastLines.findIndex((last) => line <= last)));
    return mixed(notCompiled(compiled), blamed);
  }
  const asked = claims.map(({ statement }, index) => ({
    name: names[index]!.full,
    stated: statements.names[placeOf.get(statement)!]!,
  }));
  const judged = await judgeModule({
    ...bounds,
    directory: join(directory, 'proofs'),
    module,
    text,
    asked,
    statements,
    expected: { importLines, mayShare: false, mayMark: false },
    indexFolder,
    disagreementsFolder,
  });
  if ('unread' in judged) return mixed(refused('timeout', `its object was not read: ${judged.unread}`));
  const changed = await changedGrownObject(place.environment);
  if (changed !== null) return mixed(refused('infra', changed));
  const { theorems: found, objection } = judged;
  const misread = found.flatMap((theorem, index) => (theorem.misread === undefined ? [] : [index]));
  if (misread.length > 0) return mixed(refused('header_error', found[misread[0]!]!.misread!), new Set(misread));
  const wrong = found.flatMap((theorem, index) =>
    theorem.objection !== null || theorem.kernel === 'rejected' ? [index] : [],
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
    memory: { bytesMax: limits.memoryBytesMax, peakBytes: compiled.peakResidentBytes },
    times: { compileMs: Math.round(compiled.ms), ...rounded(judged.times) },
  };
  return found.map(({ name, kernel, reason, axioms, assumed, mentions }) => {
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
      ...(assumed.length === 0 ? {} : { assumed: [...assumed] }),
      claim: claimOf(environment, assumed.length),
      restsOn: grownAmong(mentions),
    };
    return { kind: 'proved', reason: '', axioms: [], judgement };
  });
}

const mixed = (confirmation: Confirmation, blamed: ReadonlySet<number> = new Set()): Looked => ({
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
