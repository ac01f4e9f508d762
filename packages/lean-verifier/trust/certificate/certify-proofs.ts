/**
 * Proofs certified together: they stand in one file, and what is found wrong with the file is traced to the proof whose doing it
 * is. One that does not hold spoils the module for the others, and one that makes Lean run on, or the file too large, leaves no
 * module at all; nobody can judge the others then. Those in which Lean finds no error are tried again without the rest; where it
 * names none, in halves; a single one once more by itself. One that has no verdict alone either is refused, but only where Lean
 * judges a control in its place.
 */
import { StpError } from '@stp/base';
import { sha256 } from '@stp/config/ids';
import type { CheckRecord } from '@stp/config/records';
import type { FileReport, TheoremReport } from '../check-file.ts';
import { callsItself, theoremText } from '../kept-theorem.ts';
import { SECOND_KERNEL } from '../object/findings.ts';
import type { CertificateTask } from './checkers.ts';
import {
  certificateFile,
  type GrownText,
  KEPT_NAMESPACE,
  type Lemmas,
  neededTheorems,
  type ProofText,
  proofsByFile,
} from './proofs-text.ts';

/** Judges a file of this text; `task` is what it must prove. Never rejects for what the file holds. */
export type CheckProofs = (text: string, task: CertificateTask) => Promise<FileReport>;

/** What was found of a proof in the last file that it stood in. */
interface Look {
  readonly report: FileReport;
  readonly checks: readonly CheckRecord[];
}

/** Nothing speaks against it, nor against what stood beside it in the file. */
export interface CertifiedProof extends Look {
  readonly certified: true;
  readonly theorem: TheoremReport;
  /** SHA-256 of the file, hex. */
  readonly fileHash: string;
  /** What it needs above it; `marked` where it was seen to fail below those alone that it rests on. */
  readonly lemmas: Lemmas;
}

export interface RefusedProof extends Look {
  readonly certified: false;
  /** Null where the file was not compiled. */
  readonly theorem: TheoremReport | null;
  readonly reason: string;
  /** Something was found wrong. Otherwise Lean or a kernel had no end, or no memory. */
  readonly isWrong: boolean;
  /** The second kernel refuses what Lean's has taken. */
  readonly isDisagreement: boolean;
}

export type CertificateFinding = CertifiedProof | RefusedProof;

/**
 * A finding each, in order. STP1203, which may be tried again, where Lean judges nothing. Names of proofs differ. A file each for
 * the proofs below every list of imports that begins with `prelude`.
 *
 * At first each stands below the grown theorems alone that it rests on: with all that are marked Lean takes far longer. What gets
 * no certificate so is judged over all of them.
 */
export async function certifyProofs(
  proofs: readonly ProofText[],
  check: CheckProofs,
  library: readonly GrownText[] = [],
): Promise<readonly CertificateFinding[]> {
  const byFile = proofsByFile(proofs);
  if (byFile.length > 1) {
    const findings = new Map<ProofText, CertificateFinding>();
    for (const own of byFile)
      for (const [at, finding] of (await certifyProofs(own, check, library)).entries()) findings.set(own[at]!, finding);
    return proofs.map((proof) => findings.get(proof)!);
  }
  const found: Findings = new Map();
  const checkOver =
    (lemmas: Lemmas): CheckBatch =>
    async (batch) => {
      const { text, task, proofAt } = certificateFile(batch, library, lemmas);
      const report = await check(text, task);
      if (report.exit === 'not-started') throw noVerdict(batch.length, report.reason);
      const errors = report.messages.filter(({ severity }) => severity === 'error');
      return { report, text, blamed: new Set(errors.flatMap(({ line }) => proofAt(line) ?? [])) };
    };
  const above = (lemmas: Lemmas): number => neededTheorems(proofs, library, lemmas).length;
  const short = above('used') === above('marked') ? new Set() : await certifyOverUsed(proofs, found, checkOver('used'));
  await certifyBatch(
    proofs.filter((proof) => !found.has(proof)),
    found,
    checkOver('marked'),
  );
  return proofs.map((proof) => {
    const finding = found.get(proof)!;
    return finding.certified ? { ...finding, lemmas: short.has(proof) ? 'marked' : 'used' } : finding;
  });
}

type Certified = Omit<CertifiedProof, 'lemmas'>;
type Findings = Map<ProofText, Certified | RefusedProof>;

interface Checked {
  readonly report: FileReport;
  readonly text: string;
  /** Where Lean says that errors are. It decides what is tried again beside what, and nothing else. */
  readonly blamed: ReadonlySet<ProofText>;
}

type CheckBatch = (batch: readonly ProofText[]) => Promise<Checked>;

/** Returns the proofs that fail there. Two files at most: without what the first objects to, the rest may hold. */
async function certifyOverUsed(
  proofs: readonly ProofText[],
  found: Findings,
  check: CheckBatch,
): Promise<ReadonlySet<ProofText>> {
  const short = new Set<ProofText>();
  const look = async (batch: readonly ProofText[]): Promise<void> => {
    const checked = await check(batch);
    const { certified, refused } = readBatch(batch, checked);
    for (const [proof, finding] of certified) found.set(proof, finding);
    for (const proof of [...refused.keys(), ...checked.blamed]) short.add(proof);
  };
  await look(proofs);
  const rest = proofs.filter((proof) => !found.has(proof) && !short.has(proof));
  if (short.size > 0 && rest.length > 0) await look(rest);
  return short;
}

/** What a file says of the proofs in it. */
interface Reading {
  readonly certified: ReadonlyMap<ProofText, Certified>;
  readonly refused: ReadonlyMap<ProofText, RefusedProof>;
  readonly open: readonly ProofText[];
}

function readBatch(batch: readonly ProofText[], { report, text }: Checked): Reading {
  const fileHash = sha256(text);
  const judged = new Map(report.theorems.map((theorem) => [theorem.name, theorem]));
  // A certificate tells of a file in which nothing was objected to: what stands beside a refused proof is checked anew.
  const isClean = report.checks.every(({ outcome }) => outcome !== 'refused' && outcome !== 'failed');
  const certified = new Map<ProofText, Certified>();
  const refused = new Map<ProofText, RefusedProof>();
  const open: ProofText[] = [];
  for (const proof of batch) {
    const theorem = judged.get(proof.name);
    if (theorem?.verdict === 'accepted' && isClean)
      certified.set(proof, { certified: true, report, theorem, fileHash, checks: checksOf(report, theorem) });
    else if (theorem?.verdict === 'rejected') refused.set(proof, refusal(report, theorem, true));
    else open.push(proof);
  }
  return { certified, refused, open };
}

/** Every proof of the batch is in `found` afterwards. */
async function certifyBatch(batch: readonly ProofText[], found: Findings, check: CheckBatch): Promise<void> {
  if (batch.length === 0) return;
  const checked = await check(batch);
  const { report } = checked;
  const { certified, refused, open } = readBatch(batch, checked);
  for (const [proof, finding] of [...certified, ...refused]) found.set(proof, finding);
  if (open.length === 0) return;
  if (batch.length === 1) {
    const [proof] = batch as [ProofText];
    const other = { ...proof, isRecursive: !callsItself(proof) };
    if (proof.isRecursive === undefined && theoremText('t', other) !== theoremText('t', proof)) {
      const again: Findings = new Map();
      await certifyBatch([other], again, check);
      if (again.get(other)?.certified) {
        found.set(proof, again.get(other)!);
        return;
      }
    }
    await tryControl(proof, report, check);
    const theorem = report.theorems.find(({ name }) => name === proof.name) ?? null;
    // What a module is refused for without a theorem's name is one proof's fault where that stands alone in it.
    found.set(proof, refusal(report, theorem, report.outcome === 'rejected' || theorem?.refusedBy !== undefined));
    return;
  }
  const parts = open.length < batch.length ? [open] : parted(open, checked.blamed);
  for (const part of parts) await certifyBatch(part, found, check);
}

/** Two smaller ones: what Lean finds no fault with and the rest, or halves where it says nothing of the kind. */
function parted(proofs: readonly ProofText[], blamed: ReadonlySet<ProofText>): ProofText[][] {
  const half = Math.ceil(proofs.length / 2);
  const [unblamed, rest] = [proofs.filter((proof) => !blamed.has(proof)), proofs.filter((proof) => blamed.has(proof))];
  return unblamed.length > 0 && rest.length > 0 ? [unblamed, rest] : [proofs.slice(0, half), proofs.slice(half)];
}

/**
 * What nobody can doubt, in the place of a proof: with the same imports and grown theorems. Where Lean accepts it, the
 * proof is to blame for having no verdict; where not, Lean is, and nothing is refused.
 */
async function tryControl(proof: ProofText, report: FileReport, check: CheckBatch): Promise<void> {
  const name = `${KEPT_NAMESPACE}.control`;
  const control = { ...proof, name, statement: 'theorem control : True', proof: 'exact True.intro' };
  const other = (await check([control])).report;
  const ofControl = other.theorems.find((theorem) => theorem.name === name);
  if (ofControl?.verdict === 'accepted') return;
  throw noVerdict(1, report.reason || other.reason || ofControl?.message || 'the file has errors elsewhere');
}

function refusal(report: FileReport, theorem: TheoremReport | null, isWrong: boolean): RefusedProof {
  const reason = theorem?.message || report.reason || 'the checks of the file do not allow a certificate';
  const isDisagreement = theorem?.refusedBy?.includes(SECOND_KERNEL.name) ?? false;
  return {
    certified: false,
    report,
    theorem,
    reason,
    isWrong,
    isDisagreement,
    checks: theorem === null ? report.checks : checksOf(report, theorem),
  };
}

/** A checker that could not tell of some theorems of the file says so of those; it accepted the others. */
function checksOf(report: FileReport, { declinedBy = [] }: TheoremReport): CheckRecord[] {
  return report.checks.map((check) =>
    check.outcome !== 'declined' || declinedBy.includes(check.by) ? check : { ...check, outcome: 'accepted' },
  );
}

function noVerdict(proofs: number, reason: string): StpError {
  return new StpError(
    'STP1203',
    `Lean gave no verdict on ${proofs} proof(s): ${reason}`,
    'See `bin/stp doctor`; then try again.',
    { retryable: true },
  );
}
