/** Records for tests of the algorithm; a test gives only the values that differ. */
import { statementId } from '../schemas/ids.ts';
import type { Certificate, LibraryTheorem, Proved, Statement } from '../schemas/records.ts';

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
  ...{ leanVersion: 'test', fingerprint: 'test', fileHash: 'test', axioms: [], claim: 'test' },
  ...{ statementHash: HASH, proofHash: HASH, headerHash: HASH, checks: [], premises: [], restsOn: [] },
  sandbox: { kind: 'none', description: 'test' },
  memory: { bytesMax: 0, peakBytes: 0 },
  times: { compileMs: 0, objectMs: 0, checksMs: 0 },
};

export function proved(text: string, proof: string, more: Partial<Proved> = {}): Proved {
  const { id, name, header } = statement(text);
  return {
    statementId: id,
    name,
    header,
    statement: text,
    proof,
    origin: 'dataset',
    level: 0,
    round: 0,
    passRate: 0.5,
    premises: [],
    model: 'test',
    seed: 0,
    leanVersion: 'test',
    promptHash: 'test',
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
