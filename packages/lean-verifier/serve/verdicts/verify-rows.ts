/**
 * Judges the rows of one request: for each, the proof as given or as read from a model's answer, under the row's own
 * statement. Equal proofs in a request are tried once.
 */
import type { VerdictKind } from '@stp/config/records';
import { rowVerdict } from '../../trust/verdict/row-verdict.ts';
import type { ReadProof, VerdictTools } from './verdict-tools.ts';
import { ANSWER_TEXT_CHARS_MAX, type VerifyRequestRow, type VerifyResult } from './verdict-wire.ts';

/** Returns results in the order of the rows. Rejects with the signal's reason. */
export async function verifyRows(
  rows: readonly VerifyRequestRow[],
  tools: Pick<VerdictTools, 'verifier' | 'readAnswer'>,
  signal: AbortSignal,
): Promise<VerifyResult[]> {
  const read = rows.map((row) => readProof(row, tools));
  const candidates = rows.flatMap(({ header, statement }, index) => {
    const found = read[index]!;
    return found.kind === 'proof' ? [{ id: String(index), header, statement, proof: found.proof }] : [];
  });
  const results = candidates.length === 0 ? [] : await tools.verifier.check(candidates, { signal });
  const byRow = new Map(results.map((result) => [Number(result.id), result]));
  return rows.map(({ id }, index): VerifyResult => {
    const found = read[index]!;
    if (found.kind === 'refused') return unproved(id, found.verdict, found.message);
    const { proof, changed, dropped = null } = found;
    const { verdict, axioms, checks, message } = rowVerdict(byRow.get(index)!);
    return { id, verdict, axioms: [...axioms], checks: [...checks], message, proof, changed, dropped };
  });
}

function readProof(row: VerifyRequestRow, { readAnswer }: Pick<VerdictTools, 'readAnswer'>): ReadProof {
  const { header, statement, proof, answer = '', format = '', finish, when_changed } = row;
  if (proof !== undefined) return { kind: 'proof', proof, changed: false };
  if (answer.length > ANSWER_TEXT_CHARS_MAX)
    return {
      kind: 'refused',
      verdict: 'no_proof',
      message: `the answer has ${answer.length} characters, at most ${ANSWER_TEXT_CHARS_MAX} are read`,
    };
  return readAnswer({ header, statement, answer, format, finish, whenChanged: when_changed ?? undefined });
}

function unproved(id: string, verdict: VerdictKind, message: string): VerifyResult {
  const changed = verdict === 'changed_statement';
  return { id, verdict, axioms: [], checks: [], message, proof: null, changed, dropped: null };
}
