/** Tries the portfolio's scripts over a grown library; they may open its marks. */
import type { Statement } from '@stp/config/records';
import { type PortfolioTools, provePortfolio } from '@stp/lean-explore';
import { grownHeaders, markedProof } from '@stp/lean-verifier';
import { displayProof } from '@stp/selfplay';
import type { RunVerifier, StatementContexts, VerificationLimits } from '../../ports.ts';
import type { GrownRecord } from '../../round/library.ts';

export interface OverLibrary extends Pick<PortfolioTools, 'chosen'> {
  readonly further?: PortfolioTools['further'] | undefined;
  readonly run: string;
  readonly limits: VerificationLimits;
  readonly grown: readonly GrownRecord[];
  /** The namespace that a statement's scripts open; null: none. */
  marksOf(statement: Pick<Statement, 'id' | 'header'>): string | null;
  readonly signal: AbortSignal;
  readonly report: (progress: unknown) => void;
}

export interface TriedScripts {
  /** The first proof found, by statement id, as a sample's text. */
  readonly proofs: ReadonlyMap<string, string>;
  /** Number of scripts tried, and Lean's time for them in ms. */
  readonly tried: number;
  readonly leanMs: number;
}

/** Trusts Lean's messages: before a proof is kept, its compiled object is judged. */
export async function scriptsOverLibrary(
  ports: RunVerifier<'check'> & StatementContexts,
  statements: readonly Statement[],
  { run, limits, grown, marksOf, chosen, further, signal, report }: OverLibrary,
): Promise<TriedScripts> {
  const headers = grownHeaders(grown);
  const verifier = await ports.verifier(run, limits, grown);
  const marks = new Map(statements.map((one) => [one.id, marksOf(one)]));
  const textOf = (id: string, proof: string): string => {
    const namespace = marks.get(id) ?? null;
    return namespace === null ? proof : markedProof(displayProof(proof), namespace);
  };
  const outcomes = await provePortfolio(statements, {
    ...(chosen && { chosen }),
    ...(further && { further }),
    textOf,
    contexts: (its) => ports.contexts(run, its, limits, signal),
    check: (candidates) =>
      verifier.check(
        candidates.map((one) => ({ ...one, header: headers.get(one.header) ?? one.header })),
        { signal, confirm: false, explains: () => false },
      ),
    onProgress: (done) => report({ scripts: done, of: statements.length }),
  });
  const proofs = statements.flatMap(({ id }, index): [string, string][] => {
    const { proof } = outcomes[index]!;
    return proof === null ? [] : [[id, proof]];
  });
  return {
    proofs: new Map(proofs),
    tried: outcomes.reduce((sum, one) => sum + one.tried, 0),
    leanMs: outcomes.reduce((sum, one) => sum + one.leanMs, 0),
  };
}
