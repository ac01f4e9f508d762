/**
 * Certificates as files: makes the file of a proof, reads a file from elsewhere, and judges it again. The second
 * judgement trusts nothing in the file: it compiles the texts, judges the compiled module, makes a new certificate, and
 * compares the two.
 */
import { isDeepStrictEqual } from 'node:util';
import { describeIssues, HALF_CHARACTER, halfCharacterAt, repeatedKey } from '@stp/base';
import { sha256 } from '@stp/config/ids';
import {
  CERTIFICATE_BYTES_MAX,
  CERTIFICATE_FORMAT,
  type Certificate,
  type CertificateFile,
  certificateFileSchema,
  type VerdictKind,
} from '@stp/config/records';
import type { CheckResult, Verifier } from '../../verifier.ts';
import { LIBRARY_HEADER } from '../header.ts';

export interface CertifiedTexts {
  /** Null means the library header. */
  readonly header: string | null;
  readonly statement: string;
  readonly proof: string;
}

/** Makes the file of a proof and its certificate. */
export function certificateFile(texts: CertifiedTexts, certificate: Certificate): CertificateFile {
  const { headerHash, statementHash, proofHash, axioms, claim, leanVersion, fingerprint, sandbox } = certificate;
  return {
    format: CERTIFICATE_FORMAT,
    header: texts.header ?? LIBRARY_HEADER,
    statement: texts.statement,
    proof: texts.proof,
    headerHash,
    statementHash,
    proofHash,
    axioms,
    claim,
    checks: certificate.checks.map(({ by, version, outcome }) => ({ by, version, outcome })),
    leanVersion,
    fingerprint,
    sandbox,
  };
}

export const certificateText = (file: CertificateFile): string => `${JSON.stringify(file, null, 2)}\n`;

/** Reads a certificate file from elsewhere. Returns the certificate, or what is wrong with the text. */
export function readCertificate(text: string): CertificateFile | { readonly problem: string } {
  if (Buffer.byteLength(text) > CERTIFICATE_BYTES_MAX)
    return { problem: `it is longer than ${CERTIFICATE_BYTES_MAX} bytes` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'it is not JSON' };
  }
  const format = (value as { format?: unknown } | null)?.format;
  if (typeof format === 'string' && format !== CERTIFICATE_FORMAT)
    return {
      problem: `its format is ${JSON.stringify(format.slice(0, 64))}; this version reads ${CERTIFICATE_FORMAT}`,
    };
  const parsed = certificateFileSchema.safeParse(value);
  if (!parsed.success) return { problem: describeIssues(parsed.error) };
  const half = halfCharacterAt(parsed.data);
  if (half !== null) return { problem: `${half.join('.')}: ${HALF_CHARACTER}` };
  // If a key occurs twice, a person and a program could read different values.
  const twice = repeatedKey(text);
  return twice === null ? parsed.data : { problem: `it has two keys ${twice}` };
}

/** A field in which the file differs from this machine's result. */
export interface Difference {
  readonly field: Exclude<keyof CertificateFile, 'format' | 'header' | 'statement' | 'proof'>;
  readonly file: unknown;
  readonly here: unknown;
}

/**
 * `confirmed`: the proof is proved here with the same facts as in the file. `differs`: it is proved here, but the file
 * states other facts. `refused`: it is not proved here. `unchecked`: a limit or this machine's Lean prevented a
 * verdict.
 */
export interface CertificateVerdict {
  readonly verdict: 'confirmed' | 'differs' | 'refused' | 'unchecked';
  readonly differences: readonly Difference[];
  /** The verdict on the proof here. Null if it was not judged, because a text does not match its hash. */
  readonly kind: VerdictKind | null;
  /** Why the proof is not proved here. */
  readonly message: string;
}

const TEXTS = ['header', 'statement', 'proof'] as const;
/** Facts that may differ between machines although the proof is equally good: Lean, checkers and sandbox. */
const OF_THE_MACHINE: ReadonlySet<Difference['field']> = new Set(['leanVersion', 'fingerprint', 'checks', 'sandbox']);
/** Verdicts that do not count against a proof. */
const UNDECIDED: ReadonlySet<VerdictKind> = new Set(['infra', 'timeout', 'oom', 'crash']);

/**
 * Whether a verdict suffices. With `allowsOtherLean`, a proof that is proved here with the same axioms and claim
 * counts, even if Lean, checkers or sandbox differ from the file.
 */
export function isConfirmed({ verdict, differences }: CertificateVerdict, allowsOtherLean: boolean): boolean {
  if (verdict === 'confirmed') return true;
  return allowsOtherLean && verdict === 'differs' && differences.every(({ field }) => OF_THE_MACHINE.has(field));
}

/** Returns one verdict per file, in order. Rejects only with the signal's reason, or as `Verifier.check` does. */
export async function judgeCertificates(
  files: readonly CertificateFile[],
  verifier: Verifier,
  signal: AbortSignal,
): Promise<readonly CertificateVerdict[]> {
  const forged = files.map(wrongHashes);
  const meant = [...files.entries()].filter(([index]) => forged[index]!.length === 0);
  const candidates = meant.map(([index, { header, statement, proof }]) => ({
    id: String(index),
    header,
    statement,
    proof,
  }));
  const results = await verifier.check(candidates, { signal });
  const byIndex = new Map(results.map((result) => [Number(result.id), result]));
  return files.map((file, index) => {
    const result = byIndex.get(index);
    if (result !== undefined) return compare(file, result, verifier);
    return { verdict: 'differs', differences: forged[index]!, kind: null, message: '' };
  });
}

function wrongHashes(file: CertificateFile): Difference[] {
  return TEXTS.flatMap((text) => {
    const field = `${text}Hash` as const;
    const here = sha256(file[text]);
    return here === file[field] ? [] : [{ field, file: file[field], here }];
  });
}

function compare(file: CertificateFile, result: CheckResult, { environment, sandbox }: Verifier): CertificateVerdict {
  const { kind, certificate, messages } = result;
  const message = kind === 'proved' ? '' : messages.map(({ text }) => text).join('\n');
  if (kind !== 'proved' || certificate === undefined) {
    const here = { leanVersion: environment.version, fingerprint: environment.fingerprint, sandbox };
    const verdict = UNDECIDED.has(kind) || kind === 'proved' ? 'unchecked' : 'refused';
    return { verdict, differences: differencesIn(file, here), kind, message };
  }
  const { header, statement, proof, format, ...found } = certificateFile(file, certificate);
  const differences = differencesIn(file, found);
  return { verdict: differences.length === 0 ? 'confirmed' : 'differs', differences, kind, message };
}

function differencesIn(file: CertificateFile, here: Partial<Record<Difference['field'], unknown>>): Difference[] {
  return Object.entries(here).flatMap(([key, found]) => {
    const field = key as Difference['field'];
    return isDeepStrictEqual(file[field], found) ? [] : [{ field, file: file[field], here: found }];
  });
}
