/** The portfolio's scripts over a grown library, whose marks they open where the statement's header has some. */
import type { Statement } from '../../data/schemas/records.ts';
import { grownHeaders } from '../../lean/library/grow.ts';
import { type PortfolioTools, provePortfolio } from '../../lean/portfolio/prove.ts';
import { markedProof } from '../../lean/trust/kept-theorem.ts';
import { displayProof } from '../../selfplay/prompts.ts';
import type { Ports, VerificationLimits } from '../ports.ts';
import type { GrownRecord } from './library.ts';

export interface TryScriptsOptions extends Pick<PortfolioTools, 'stagesOf'> {
  readonly run: string;
  readonly limits: VerificationLimits;
  readonly grown: readonly GrownRecord[];
  /** By header, the namespace that a script opens. */
  readonly marks: ReadonlyMap<string | null, string>;
  readonly signal: AbortSignal;
  readonly report: (progress: unknown) => void;
}

export interface TriedScripts {
  /** By statement id, the first proof found, as a sample's text. */
  readonly proofs: ReadonlyMap<string, string>;
  /** Scripts that Lean was asked about, and its time for them, ms. */
  readonly tried: number;
  readonly leanMs: number;
}

/** Only Lean's text is read here: whoever keeps a proof asks the compiled object. */
export async function tryScripts(
  ports: Pick<Ports, 'verifier' | 'contexts'>,
  statements: readonly Statement[],
  { run, limits, grown, marks, stagesOf, signal, report }: TryScriptsOptions,
): Promise<TriedScripts> {
  const headers = grownHeaders(grown);
  const verifier = await ports.verifier(run, limits, grown);
  const textOf = (header: string | null, proof: string): string =>
    marks.has(header) ? markedProof(displayProof(proof), marks.get(header)!) : proof;
  const outcomes = await provePortfolio(statements, {
    ...(stagesOf === undefined ? {} : { stagesOf }),
    contexts: (its) => ports.contexts(run, its, limits, signal),
    check: (candidates) =>
      verifier.check(
        candidates.map(({ id, header, statement, proof }) => ({
          id,
          header: headers.get(header) ?? header,
          statement,
          proof: textOf(header, proof),
        })),
        { signal, confirm: false },
      ),
    onProgress: (done) => report({ scripts: done, of: statements.length }),
  });
  const proofs = statements.flatMap(({ id, header }, place): [string, string][] => {
    const { proof } = outcomes[place]!;
    return proof === null ? [] : [[id, textOf(header, proof)]];
  });
  return {
    proofs: new Map(proofs),
    tried: outcomes.reduce((sum, one) => sum + one.tried, 0),
    leanMs: outcomes.reduce((sum, one) => sum + one.leanMs, 0),
  };
}
