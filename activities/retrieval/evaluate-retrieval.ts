/** Measures a retriever on the traced steps of one split file: R@1, R@10 and MRR over the steps that name a premise. */
import { type PremiseCorpus, type PremiseQuery, RetrievalScores, type Retriever } from '@stp/selfplay';
import { batchesOf } from '../records/batches.ts';
import { LeftOut, readTracedSteps } from './benchmark.ts';

/**
 * Number of premises retrieved for a query. MRR counts a first hit beyond them as 0 (ReProver,
 * `retrieval/evaluate.py`).
 */
const RETRIEVED_MAX = 100;
const QUERIES_PER_BATCH = 64;

export interface RetrievalReport {
  /** Steps that name at least one premise. */
  readonly queries: number;
  /** Means over the queries, from 0 to 1. */
  readonly recallAt1: number;
  readonly recallAt10: number;
  readonly mrr: number;
  /**
   * Number of named premises that are not accessible at the step's position. A retriever of accessible premises never
   * finds them.
   */
  readonly inaccessible: number;
  readonly leftOut: LeftOut;
}

/** @param path one of `SPLIT/{train,val,test}.json` */
export async function evaluateRetrieval(
  path: string,
  corpus: PremiseCorpus,
  retriever: Retriever,
): Promise<RetrievalReport> {
  const leftOut = new LeftOut();
  const scores = new RetrievalScores();
  let inaccessible = 0;
  async function* queries(): AsyncGenerator<PremiseQuery & { readonly premises: ReadonlySet<number> }> {
    for await (const { theorem, tactic, premises, where } of readTracedSteps(path, corpus, leftOut)) {
      if (premises.size === 0) continue;
      const accessible = corpus.accessible(theorem.file_path, theorem.start);
      if (accessible === null) leftOut.add(`${where}: ${theorem.file_path} is not in corpus.jsonl`);
      else yield { state: tactic.state_before, accessible, premises };
    }
  }
  for await (const batch of batchesOf(queries(), QUERIES_PER_BATCH)) {
    const found = await retriever.retrieve(batch, RETRIEVED_MAX);
    for (const [index, { premises, accessible }] of batch.entries()) {
      inaccessible += [...premises].filter((premise) => !accessible(premise)).length;
      scores.add(
        found[index]!.map(({ premise }) => premise),
        premises,
      );
    }
  }
  return { ...scores.means, inaccessible, leftOut };
}
