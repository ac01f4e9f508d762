/**
 * Judges proofs that Lean accepted in the screen as objects. The proofs of one header are compiled into one module,
 * their statements without them into another, and the first module must contain exactly what these proofs may contain.
 * If it contains anything else, no one can tell which proof caused that, so the batch is halved, down to single proofs.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerdictKind } from '@stp/config/records';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { splitImports } from '../header.ts';
import { grownAmong } from '../kept-theorem.ts';
import { type ProvedName, provedLines, provedName, type WrittenProof } from '../stated-form.ts';
import { optionLines } from '../verdict/batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from '../verdict/limits.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import { judgeObject, tellDisagreement } from './judge-object.ts';
import { findProofs } from './proof-policy.ts';
import { compileStatements, statedName } from './stated-module.ts';

export type ClaimedProof = WrittenProof;

/** `axioms`: the forbidden ones. */
export interface Confirmation {
  readonly kind: VerdictKind;
  /** Why it is not proved; empty where it is. */
  readonly reason: string;
  readonly axioms: readonly string[];
  /** Grown theorems that its object mentions; missing where it is not proved. */
  readonly restsOn?: readonly string[] | undefined;
}

export interface ConfirmContext {
  readonly place: ProcessPlace;
  readonly scratchDirectory: string;
  /** Under which the proofs were accepted, or wider. */
  readonly limits: Limits;
  readonly indexFolder: string | null;
  readonly disagreementsFolder: string | null;
  readonly signal: AbortSignal;
}

/** A confirmation each, in order. Rejects only with the signal's reason, or where the scratch folder cannot be written. */
export async function confirmProofs(
  header: string,
  claims: readonly ClaimedProof[],
  context: ConfirmContext,
): Promise<readonly Confirmation[]> {
  if (claims.length === 0) return [];
  const directory = join(context.scratchDirectory, `confirm-${randomBytes(8).toString('hex')}`);
  let found: readonly Confirmation[] | { readonly mixed: Confirmation };
  try {
    found = await lookAt(header, claims, context, directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  if (!('mixed' in found)) return found;
  if (claims.length === 1) return [found.mixed];
  const half = Math.ceil(claims.length / 2);
  return [
    ...(await confirmProofs(header, claims.slice(0, half), context)),
    ...(await confirmProofs(header, claims.slice(half), context)),
  ];
}

/** `mixed`: the finding for a proof that was alone; for several proofs it cannot be assigned to one. */
async function lookAt(
  header: string,
  claims: readonly ClaimedProof[],
  context: ConfirmContext,
  directory: string,
): Promise<readonly Confirmation[] | { readonly mixed: Confirmation }> {
  const { place, limits, signal, indexFolder, disagreementsFolder } = context;
  const bounds = { place, signal, memoryBytesMax: limits.memoryBytesMax };
  const nonce = randomBytes(8).toString('hex');
  const names = claims.map((claim, index) => provedName(`_stp${nonce}_proof${index}`, claim, header));
  const { imports: importLines, rest } = splitImports(header);
  const opening = [rest, ...optionLines(limits, header)];
  // Many samples prove one statement.
  const signatures = [...new Set(claims.map(({ signature }) => signature))];
  const stated = signatures.map((signature, index) => ({ name: statedName(index), opens: '', signature }));
  const statements = await compileStatements(stated, {
    ...bounds,
    importLines,
    opening,
    directory: join(directory, 'stated'),
  });
  if (statements.problem !== '') return { mixed: refused('infra', `the statements: ${statements.problem}`) };
  const unread = [...statements.wrong.values()][0];
  if (unread !== undefined) return { mixed: refused('header_error', `the statement: ${unread}`) };
  // Not in order: what Lean then makes for one proof another rests on, and they would have to be looked at apart.
  const text = proofsText([...importLines, ...opening], claims, names);
  const compiled = await compileModule({
    ...bounds,
    module: 'Proofs',
    text,
    directory: join(directory, 'proofs'),
    deadlineMs: HEADER_TIMEOUT_MS + claims.length * limits.candidateTimeoutMs,
  });
  if (compiled.path === null) return { mixed: notCompiled(compiled) };
  const places = new Map(signatures.map((signature, index) => [signature, index]));
  const asked = claims.map(({ signature }, index) => ({
    name: names[index]!.full,
    stated: statedName(places.get(signature)!),
  }));
  const task = { ...bounds, path: compiled.path, indexFolder, asked };
  const report = await judgeObject({ ...task, statedPath: statements.path! });
  if ('unread' in report) return { mixed: refused('timeout', `its object was not read: ${report.unread}`) };
  const { toleratesLibraryAxioms } = place.environment;
  const expected = {
    importLines,
    unreadable: statements.wrong,
    toleratesLibraryAxioms,
    mayShare: false,
    mayMark: false,
    text,
  };
  const { theorems, objection } = findProofs(report, expected);
  const wrong = theorems.find((theorem) => theorem.objection !== null || theorem.kernel === 'rejected');
  if (objection === null && wrong === undefined)
    return theorems.map(({ kernel, reason: undecided, mentions, misread }) =>
      misread !== undefined
        ? refused('header_error', misread)
        : kernel === 'accepted'
          ? { kind: 'proved', reason: '', axioms: [], restsOn: grownAmong(mentions) }
          : refused('timeout', `the second kernel could not decide it: ${undecided}`),
    );
  if (claims.length === 1 && report.rejected.length > 0)
    await tellDisagreement(compiled.path, report, disagreementsFolder);
  const reason = wrong?.objection ?? objection ?? `the second kernel refuses it: ${wrong?.reason}`;
  const axioms = reason.startsWith('rests on axioms') ? (wrong?.axioms ?? []) : [];
  return { mixed: { kind: reason === 'rests on `sorry`' ? 'sorry' : 'rejected', reason, axioms } };
}

function proofsText(opening: readonly string[], claims: readonly ClaimedProof[], names: readonly ProvedName[]): string {
  const theorems = claims.flatMap((claim, index) => provedLines(names[index]!, claim).lines);
  return `${[...opening, ...theorems].join('\n')}\n`;
}

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
