/**
 * `bin/stp retrieve`: indexes a corpus's premises, trains an encoder for them, and measures retrieval on traced
 * tactics.
 */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { embeddedGenerator, type Generator } from '@stp/language-model';
import { trainEncoder } from '@stp/language-model/training';
import type { LeanDojoPart } from '@stp/lean-explore';
import { type Retriever, TermRetriever, type TermScoring, VectorRetriever } from '@stp/selfplay';
import { encoderPairs } from '../../activities/retrieval/encoder-pairs.ts';
import { evaluateRetrieval } from '../../activities/retrieval/evaluate-retrieval.ts';
import { openPremiseIndex, type PremiseIndex, writePremiseIndex } from '../../activities/retrieval/premise-index.ts';

/** Maximum number of skipped rows that are printed with their line. */
const PLACES_SHOWN = 3;
const STEPS_PER_LINE = 50;

export interface IndexOptions {
  readonly corpusPath: string;
  readonly outputPath: string;
  readonly ckptPath?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

export async function index({ corpusPath, outputPath, ckptPath, replace, json }: IndexOptions): Promise<void> {
  const folder = resolve(outputPath);
  const { files, premises, terms } = await withEncoder(ckptPath, (encoder) =>
    writePremiseIndex(resolve(corpusPath), folder, { replace: replace === true, encoder }),
  );
  if (json === true) return console.log(JSON.stringify({ files, premises, terms }));
  console.log(`${premises} premises of ${files} files, ${terms} different terms, in ${folder}`);
}

export interface TrainEncoderOptions {
  readonly ckptPath: string;
  readonly corpusPath: string;
  readonly dataPath: string;
  readonly outputPath: string;
  readonly steps: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly seed: number;
}

export async function train(options: TrainEncoderOptions): Promise<void> {
  const { steps, batchSize, learningRate, seed } = options;
  const { pairs } = await encoderPairs(resolve(options.corpusPath), resolve(options.dataPath), 'train');
  console.log(`${pairs.length} pairs of a state and a premise`);
  const outputDirectory = resolve(options.outputPath);
  const { finalLoss } = await trainEncoder(
    {
      pairs,
      initDirectory: resolve(options.ckptPath),
      outputDirectory,
      steps,
      batch: batchSize,
      learningRate,
      seed,
      threads: availableParallelism(),
    },
    {
      onProgress: ({ step, loss }) => {
        if (step % STEPS_PER_LINE === 0) console.log(`  step ${step} of ${steps}, loss ${loss.toFixed(3)}`);
      },
    },
  );
  console.log(`loss ${finalLoss.toFixed(3)} over the last tenth of the steps; the encoder is in ${outputDirectory}`);
}

export interface RetrievalOptions {
  readonly index: string;
  readonly dataPath: string;
  readonly split: LeanDojoPart;
  readonly method: TermScoring | 'learned';
  readonly ckptPath?: string;
  readonly json?: boolean;
}

export async function evaluate(options: RetrievalOptions): Promise<void> {
  const { dataPath, split, method, ckptPath, json } = options;
  const index = await openPremiseIndex(resolve(options.index));
  const path = join(resolve(dataPath), `${split}.json`);
  const { leftOut, ...figures } = await withEncoder(ckptPath, (encoder) =>
    evaluateRetrieval(path, index.corpus, retrieverOf(index, method, encoder)),
  );
  if (json === true)
    return console.log(
      JSON.stringify({ method, split, ...figures, skipped: leftOut.count, locations: leftOut.locations }),
    );
  const percent = (share: number): string => (100 * share).toFixed(1);
  const { queries, recallAt1, recallAt10, mrr, inaccessible } = figures;
  console.log(
    `${method}, ${split}: R@1 ${percent(recallAt1)}  R@10 ${percent(recallAt10)}  MRR ${mrr.toFixed(3)}  (${queries} tactics that name premises)`,
  );
  if (inaccessible > 0) console.log(`  ${inaccessible} named premises cannot be used at their tactic's place`);
  if (leftOut.count === 0) return;
  console.log(`  ${leftOut.count} tactics left out`);
  for (const location of leftOut.locations.slice(0, PLACES_SHOWN)) console.log(`    ${location}`);
}

/** Throws STP1002 for learned retrieval without the encoder that made the index. */
function retrieverOf(
  { table, vectors }: PremiseIndex,
  method: TermScoring | 'learned',
  encoder: Generator | null,
): Retriever {
  if (method !== 'learned') return new TermRetriever(table, method);
  const problem =
    encoder === null
      ? '--method learned needs --ckpt-path'
      : vectors === null
        ? 'the index has no vectors'
        : vectors.model !== encoder.model.name
          ? `the index has vectors of model ${vectors.model}, not of ${encoder.model.name}`
          : null;
  if (problem !== null)
    throw new StpError(
      'STP1002',
      problem,
      'Make the index with `bin/stp retrieve index --ckpt-path`, and give the same checkpoint.',
    );
  return new VectorRetriever((texts, given) => encoder!.embed(texts, given), vectors!.data, vectors!.size);
}

/** Runs the work with a checkpoint's encoder and closes it afterwards; without a checkpoint the work gets null. */
async function withEncoder<T>(path: string | undefined, work: (encoder: Generator | null) => Promise<T>): Promise<T> {
  if (path === undefined) return work(null);
  const encoder = await embeddedGenerator({ threads: availableParallelism() })(resolve(path));
  try {
    return await work(encoder);
  } finally {
    await encoder.close();
  }
}
