/** `bin/stp retrieve`: indexes the premises of a corpus, and measures retrieval on traced tactics. */
import { join, resolve } from 'node:path';
import { evaluateRetrieval } from '../activities/retrieval/evaluate-retrieval.ts';
import { openPremiseIndex, writePremiseIndex } from '../activities/retrieval/premise-index.ts';
import type { LeanDojoPart } from '../lean/library/leandojo/entries.ts';
import { TermRetriever, type TermScoring } from '../selfplay/retrieval/term-index.ts';

/** Places of skipped rows that are printed. */
const PLACES_SHOWN = 3;

export interface IndexOptions {
  readonly corpusPath: string;
  readonly outputPath: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

export async function index({ corpusPath, outputPath, replace, json }: IndexOptions): Promise<void> {
  const folder = resolve(outputPath);
  const { files, premises, terms } = await writePremiseIndex(resolve(corpusPath), folder, replace === true);
  if (json === true) return console.log(JSON.stringify({ files, premises, terms }));
  console.log(`${premises} premises of ${files} files, ${terms} different terms, in ${folder}`);
}

export interface RetrievalOptions {
  readonly index: string;
  readonly dataPath: string;
  readonly split: LeanDojoPart;
  readonly method: TermScoring;
  readonly json?: boolean;
}

export async function evaluate({ index: folder, dataPath, split, method, json }: RetrievalOptions): Promise<void> {
  const { corpus, table } = await openPremiseIndex(resolve(folder));
  const path = join(resolve(dataPath), `${split}.json`);
  const { leftOut, ...figures } = await evaluateRetrieval(path, corpus, new TermRetriever(table, method));
  if (json === true)
    return console.log(JSON.stringify({ method, split, ...figures, skipped: leftOut.count, places: leftOut.places }));
  const percent = (share: number): string => (100 * share).toFixed(1);
  const { queries, recallAt1, recallAt10, mrr, inaccessible } = figures;
  console.log(
    `${method}, ${split}: R@1 ${percent(recallAt1)}  R@10 ${percent(recallAt10)}  MRR ${mrr.toFixed(3)}  (${queries} tactics that name premises)`,
  );
  if (inaccessible > 0) console.log(`  ${inaccessible} named premises cannot be used at their tactic's place`);
  if (leftOut.count === 0) return;
  console.log(`  ${leftOut.count} tactics left out`);
  for (const place of leftOut.places.slice(0, PLACES_SHOWN)) console.log(`    ${place}`);
}
