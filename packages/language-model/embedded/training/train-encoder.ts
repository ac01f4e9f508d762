/**
 * Trains a checkpoint as a text encoder (`contrastive.ts`) in this process, from pairs of texts to a checkpoint folder.
 * It blocks its thread for one step at a time. The same request gives the same weights.
 */
import { StpError } from '@stp/base';
import { keptFiles, writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import { modelFiles, readModel } from '../../checkpoint/model-folder.ts';
import { EMBEDDING_TOKENS_MAX } from '../../generator.ts';
import { contrastive, contrastiveBatch, type TextPair } from './contrastive.ts';
import { learningRateAt } from './learning-rate.ts';
import { flatParameters, tensorsOf } from './parameter-layout.ts';
import { shuffledOrder } from './random.ts';
import { TrainingEngine } from './training-engine.ts';
import { freshState } from './training-state.ts';

/** STP's recipe for its models; the encoder starts from one of our models. */
const WEIGHT_DECAY = 0.01;
const GRADIENT_CLIP_NORM = 1;
const WARMUP_STEPS = 20;
/** Share of the last steps over which the final loss is averaged. */
const FINAL_LOSS_SHARE = 0.1;

/** A query and its match. */
export interface EncoderPair {
  readonly query: string;
  readonly match: string;
  /**
   * Keys of all texts that the query should find. No batch contains the match of one query that another should find
   * too.
   */
  readonly positives: ReadonlySet<string>;
  /** Key of the match. */
  readonly key: string;
}

export interface TrainEncoderRequest {
  readonly pairs: readonly EncoderPair[];
  /** Checkpoint folder to start from. */
  readonly initDirectory: string;
  /** Folder of the new checkpoint; must not contain one already. */
  readonly outputDirectory: string;
  readonly steps: number;
  /** Pairs in a step. */
  readonly batch: number;
  readonly learningRate: number;
  readonly seed: number;
  readonly threads: number;
}

export interface TrainEncoderOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly step: number; readonly loss: number }) => void;
}

/** Throws STP1302 for a damaged checkpoint, STP1501 for too few pairs, STP1301 if the loss is no longer finite. */
export async function trainEncoder(
  request: TrainEncoderRequest,
  { signal, onProgress }: TrainEncoderOptions = {},
): Promise<{ readonly finalLoss: number; readonly tokens: number }> {
  const { steps, batch, learningRate, seed } = request;
  const { shape, constants, tokenizer, proofWords, tensors, model } = await readModel(request.initDirectory);
  const kept = await keptFiles(await modelFiles(request.initDirectory));
  const tokensMax = Math.min(EMBEDDING_TOKENS_MAX, shape.contextLength);
  const encoded = new Map<string, readonly number[]>();
  const tokensOf = (text: string): readonly number[] => {
    const known = encoded.get(text) ?? tokenizer.encode(text).slice(0, tokensMax);
    encoded.set(text, known);
    return known;
  };
  const engine = new TrainingEngine({
    shape,
    constants,
    threads: request.threads,
    weightDecay: WEIGHT_DECAY,
    gradientClipNorm: GRADIENT_CLIP_NORM,
    loss: contrastive(shape, batch),
  });
  const state = freshState(flatParameters(engine.layout, tensors));
  const batches = batchesOfPairs(request.pairs, batch, seed);
  const schedule = { learningRate, warmupSteps: WARMUP_STEPS, schedule: 'linear' as const, steps };
  let [tokens, lossSum, lossCount] = [0, 0, 0];
  try {
    for (let step = 1; step <= steps; step++) {
      signal?.throwIfAborted();
      const pairs = batches
        .next()
        .value.map(({ query, match }): TextPair => ({ query: tokensOf(query), match: tokensOf(match) }));
      const packed = contrastiveBatch(pairs);
      const plan = { step, learningRate: learningRateAt(step, schedule), batches: [packed] };
      const { loss } = (await engine.train(state, [plan]))[0]!;
      if (!Number.isFinite(loss))
        throw new StpError('STP1301', `training diverged at step ${step}: loss ${loss}`, 'Lower the learning rate.');
      tokens += packed.labels.length;
      if (step > steps * (1 - FINAL_LOSS_SHARE)) {
        lossSum += loss;
        lossCount += 1;
      }
      onProgress?.({ step, loss });
    }
    const finalLoss = lossSum / lossCount;
    const recipe = { ...schedule, weightDecay: WEIGHT_DECAY, gradientClipNorm: GRADIENT_CLIP_NORM };
    const training = {
      seed,
      tokens,
      finalLoss,
      ...recipe,
      tokensPerStep: Math.round(tokens / steps),
      parent: model,
    };
    const trained = { shape, constants, tensors: tensorsOf(engine.layout, state.parameters) };
    await writeCheckpoint(request.outputDirectory, { ...trained, tokenizer, proofWords, training, kept });
    return { finalLoss, tokens };
  } finally {
    await engine.close();
  }
}

/**
 * Yields batches without end, each pass over the pairs in a new order. Throws STP1501 if a pass gives no full batch.
 */
function* batchesOfPairs(pairs: readonly EncoderPair[], size: number, seed: number): Generator<EncoderPair[], never> {
  for (let pass = 0; ; pass++) {
    let made = 0;
    let open: EncoderPair[] = [];
    let waiting: EncoderPair[] = [];
    const take = (pair: EncoderPair): void => {
      const clashes = open.some((other) => other.positives.has(pair.key) || pair.positives.has(other.key));
      (clashes ? waiting : open).push(pair);
    };
    for (const index of shuffledOrder(pairs.length, seed + pass)) {
      take(pairs[index]!);
      if (open.length < size) continue;
      made += 1;
      yield open;
      const again = waiting;
      [open, waiting] = [[], []];
      for (const pair of again) take(pair);
    }
    if (made === 0)
      throw new StpError(
        'STP1501',
        `${pairs.length} pairs do not give a batch of ${size} without a clash`,
        'Give more tactics that name premises, or a smaller --batch-size.',
      );
  }
}
