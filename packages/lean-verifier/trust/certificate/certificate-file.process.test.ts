/** Certificates that travel: no file with another value anywhere is confirmed, and no text is read in two ways. */

import { sha256 } from '@stp/config/ids';
import { CERTIFICATE_BYTES_MAX, type CertificateFile } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { COMMUTES, open } from '../../testing/opened-verifier.ts';
import { certificateFile, certificateText, judgeCertificates, readCertificate } from './certificate-file.ts';

const TEXTS = { header: 'import Init\nopen Nat', statement: COMMUTES, proof: '  exact Nat.add_comm a b' };

/** Every value with one leaf changed, one element left out, or one added. */
function* changed(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    yield `${value} `;
    yield value === '' ? 'x' : `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`;
  } else if (value === null) yield 'x';
  else if (Array.isArray(value)) {
    yield [...value, ...(value.length > 0 ? [value[0]] : ['propext'])];
    for (const [index, one] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const other of changed(one)) yield value.with(index, other);
    }
  } else if (typeof value === 'object') {
    for (const [key, one] of Object.entries(value)) for (const other of changed(one)) yield { ...value, [key]: other };
  }
}

it('confirms a certificate, and none with another value', async () => {
  const verifier = await open();
  const [result] = await verifier.check([{ id: 'a', ...TEXTS }]);
  const own = certificateFile(TEXTS, result!.certificate!);
  expect(readCertificate(certificateText(own))).toEqual(own);
  const outcomes = ['accepted', 'refused', 'declined', 'absent', 'failed'] as const;
  const claims = own.checks.flatMap((check, index) =>
    outcomes
      .filter((outcome) => outcome !== check.outcome)
      .map((outcome): CertificateFile => ({ ...own, checks: own.checks.with(index, { ...check, outcome }) })),
  );
  // With hashes that fit, since whoever edits a text can hash it.
  const texts = (['header', 'statement', 'proof'] as const).flatMap((text) =>
    [
      'import Init\nopen Int',
      'theorem commutes (a b : Nat) : a + b = a + b',
      '  omega',
      '  exact Nat.add_comm b a',
    ].map((other): CertificateFile => ({ ...own, [text]: other, [`${text}Hash`]: sha256(other) })),
  );
  const edited = [...[...changed(own)].map((one) => readCertificate(JSON.stringify(one))), ...claims, ...texts];
  const read = edited.filter((one): one is CertificateFile => !('problem' in one));
  expect(read.length).toBeGreaterThan(40);
  const verdicts = await judgeCertificates([own, ...read], verifier, new AbortController().signal);
  expect(verdicts[0]).toEqual({ verdict: 'confirmed', differences: [], kind: 'proved', message: '' });
  const confirmed = read.filter((_, index) => verdicts[index + 1]!.verdict === 'confirmed');
  // Another header, statement or proof makes another certificate; it is confirmed if that one is true.
  for (const one of confirmed)
    expect([one.header !== own.header, one.statement !== own.statement, one.proof !== own.proof]).toContain(true);
  const sameTexts = read.filter((one, index) => {
    const isSame = one.header === own.header && one.statement === own.statement && one.proof === own.proof;
    return isSame && verdicts[index + 1]!.verdict !== 'differs';
  });
  expect(sameTexts).toEqual([]);
  // The refusals name the Lean that refused.
  const refused = verdicts.filter(({ verdict }) => verdict === 'refused');
  expect(refused.length).toBeGreaterThan(0);
  for (const { kind, message } of refused) expect([kind, message.length > 0]).not.toEqual(['proved', true]);
}, 180_000);

describe('reading', () => {
  const text = certificateText({
    format: 'stp-certificate/1',
    ...TEXTS,
    axioms: [],
    claim: 'none',
    checks: [],
    leanVersion: 'L',
    ...{ fingerprint: 'f', sandbox: { kind: 'none', description: '' } },
    headerHash: sha256(''),
    statementHash: sha256(''),
    proofHash: sha256(''),
  });
  it.each([
    ['nonsense', 'it is not JSON'],
    ['null', /expected object/u],
    [text.replace('certificate/1', 'certificate/2'), /its format is "stp-certificate\/2"; this version reads/u],
    [text.replace('"axioms"', '"claim": "another",\n"axioms"'), 'it has two keys claim'],
    [text.replace('"kind": "none"', '"kind": "none", "kind": "none"'), 'it has two keys kind'],
    [text.replace('  exact', '  /- \\ud800 -/ exact'), 'proof: it holds half a character, which has no UTF-8'],
    [text.replace('"axioms"', '"further": 1,\n"axioms"'), /further/u],
    [text.replace(/"proofHash": "../u, '"proofHash": "'), /proofHash/u],
    [' '.repeat(CERTIFICATE_BYTES_MAX + 1), /longer than/u],
  ])('refuses %.20j', (damaged, problem) => {
    expect(readCertificate(text)).not.toHaveProperty('problem');
    expect(readCertificate(damaged)).toEqual({
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });
});
