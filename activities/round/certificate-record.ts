/**
 * The record that is kept with a proof: what exactly was checked, by which checker, in which sandbox. It claims nothing
 * else.
 */
import { sha256 } from '@stp/config/ids';
import type { Certificate, Proved, SandboxFacts } from '@stp/config/records';
import { type CertifiedProof, LIBRARY_HEADER, OBJECT, SECOND_KERNEL } from '@stp/lean-verifier';

/** With the library's proofs there, every declaration that the theorem rests on was checked or is a standard axiom. */
const CLAIM = 'kernel-checked';
/** An assembled Lean has its library's statements only, so a proof stands or falls with them. */
const CLAIM_WITHOUT_LIBRARY_PROOFS = "kernel-checked against the library's statements";

function claimOf(libraryHasProofs: boolean, assumed: number): string {
  const claim = libraryHasProofs ? CLAIM : CLAIM_WITHOUT_LIBRARY_PROOFS;
  if (assumed === 0) return claim;
  return `${claim}, and against ${assumed} earlier ${assumed === 1 ? 'theorem' : 'theorems'} of its module that its problem set assumes`;
}

export function certificateOf(proof: Proved, finding: CertifiedProof): Certificate {
  const { report, theorem, fileHash } = finding;
  const ms = (by: readonly string[]): number =>
    report.checks.filter((check) => by.includes(check.by)).reduce((total, check) => total + check.ms, 0);
  const own = ['lean', OBJECT.name, SECOND_KERNEL.name];
  return {
    leanVersion: report.leanVersion,
    fingerprint: report.fingerprint,
    fileHash,
    axioms: [...theorem.axioms],
    ...(theorem.assumed === undefined ? {} : { assumed: [...theorem.assumed] }),
    claim: claimOf(report.libraryHasProofs, theorem.assumed?.length ?? 0),
    statementHash: sha256(proof.statement),
    proofHash: sha256(proof.proof),
    headerHash: sha256(proof.header ?? LIBRARY_HEADER),
    checks: [...finding.checks],
    premises: [...proof.premises],
    restsOn: [...(theorem.restsOn ?? [])],
    sandbox: report.sandbox,
    memory: report.memory,
    times: {
      compileMs: ms(['lean']),
      objectMs: ms([OBJECT.name, SECOND_KERNEL.name]),
      checksMs: ms(report.checks.map(({ by }) => by).filter((by) => !own.includes(by))),
    },
  };
}

/** What the second kernel said of a certified proof; `none` where it was not asked. */
export type SecondOpinion = 'accepted' | 'declined' | 'none';

export function secondOpinion({ certificate }: Proved): SecondOpinion {
  const outcome = certificate?.checks.find(({ by }) => by === SECOND_KERNEL.name)?.outcome;
  return outcome === 'accepted' || outcome === 'declined' ? outcome : 'none';
}

/** A result counts only where Lean was walled in whenever it read a model's text. Why not; empty where it was. */
export function whyIneligible({ kind, description }: SandboxFacts): string[] {
  return kind === 'none' ? [`Lean ran without a sandbox: ${description}`] : [];
}

/** Where the proof was certified; a proof without a certificate does not count as walled in. */
export function wallsOf({ certificate }: Proved): SandboxFacts {
  return certificate?.sandbox ?? { kind: 'none', description: 'the proof has no certificate' };
}
