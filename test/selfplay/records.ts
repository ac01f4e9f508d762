/** Records for tests of the algorithm, with only what a test says differing. */
import { statementId } from '../../data/schemas/ids.ts';
import type { Proved, Statement } from '../../data/schemas/records.ts';

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
    promptHash: 'test',
    tier: 'certificate',
    checkMs: 0,
    ...more,
  };
}
