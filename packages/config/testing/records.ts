/** Records for tests of the algorithm; a test gives only the values that differ. */

import type { Certificate } from '../schemas/certificate.ts';
import { sha256, statementId } from '../schemas/ids.ts';
import type { LibraryTheorem, Proved, Statement } from '../schemas/records.ts';

export function statement(text: string, more: Partial<Statement> = {}): Statement {
  return {
    id: statementId(null, text),
    name: /theorem\s+(\S+)/.exec(text)?.[1] ?? 'anonymous',
    header: null,
    statement: text,
    split: 'train',
    labels: [],
    weight: 1,
    ...more,
  };
}

const HASH = '0'.repeat(64);

export const CERTIFICATE: Certificate = {
  leanVersion: 'test',
  fingerprint: 'test',
  fileHash: HASH,
  objectHash: HASH,
  libraryHash: null,
  statementHash: HASH,
  proofHash: HASH,
  headerHash: HASH,
  axioms: [],
  claim: 'test',
  checks: [],
  restsOn: [],
  sandbox: { kind: 'none', description: 'a test' },
  memory: { bytesMax: 0, peakBytes: 0 },
  times: { compileMs: 0, objectMs: 0, checksMs: 0 },
};

/** The certificate of these texts; of a statement without a header, that of the header which stands above it. */
export function certificateOf(header: string, statement: string, proof: string): Certificate {
  const [headerHash, statementHash, proofHash] = [header, statement, proof].map(sha256) as [string, string, string];
  return { ...CERTIFICATE, headerHash, statementHash, proofHash };
}

export function proved(text: string, proof: string, more: Partial<Proved> = {}): Proved {
  const { id, name, header } = statement(text);
  return {
    statementId: id,
    name,
    header,
    statement: text,
    proof,
    origin: 'dataset',
    round: 0,
    passRate: 0.5,
    premises: [],
    model: 'test',
    seed: 0,
    leanVersion: 'test',
    certificate: CERTIFICATE,
    checkMs: 0,
    ...more,
  };
}

export function libraryTheorem(name: string, more: Partial<LibraryTheorem> = {}): LibraryTheorem {
  const text = `theorem ${name} (n : Nat) : n = n`;
  return {
    id: name,
    name,
    file: 'A.lean',
    line: 1,
    statement: text,
    proof: '  rfl',
    header: '',
    premises: [],
    ...more,
  };
}
