/**
 * The start of a training: weights and tokenizer of a checkpoint, or fresh weights and a tokenizer made from the
 * examples.
 */
import { describeIssues, StpError } from '@stp/base';
import { LIKELIHOOD } from '@stp/config';
import { PROOF_MARKER } from '@stp/config/words';
import { readCheckpoint } from '../../checkpoint/checkpoint.ts';
import { modelShapeSchema } from '../../checkpoint/config.ts';
import type { ProofWords } from '../../tokenizer/proof-words.ts';
import { isSlot, markersOf } from '../../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { trainTokenizer } from '../../tokenizer/train.ts';
import type { ModelShape, TrainRequest } from '../../trainer.ts';
import { likelihood } from '../objectives/likelihood.ts';
import { type ProofText, proofWordsOf } from '../proof-grammar/proof-words.ts';
import { readRows } from './example-file.ts';
import { initialParameters } from './initial-parameters.ts';
import { parameterLayout } from './parameter-layout.ts';

export interface InitialState {
  readonly tokenizer: Tokenizer;
  /** Words of the proofs of this training and of those before it. */
  readonly proofWords: ProofWords | null;
  /** Flat vector of `parameterLayout(shape)`, the caller's to change. */
  readonly parameters: Float32Array;
  /** Name of the model the weights are from; null for fresh ones. */
  readonly parent: string | null;
}

/** Throws STP1002 where the shape is impossible or not the checkpoint's, STP1302 where the checkpoint is damaged. */
export async function initialState(
  request: Pick<TrainRequest, 'examplesPath' | 'shape' | 'seed' | 'initDirectory' | 'objective'>,
): Promise<InitialState> {
  const { shape, initDirectory } = request;
  const parsed = modelShapeSchema.safeParse(shape);
  if (!parsed.success)
    throw new StpError('STP1002', `model shape: ${describeIssues(parsed.error)}`, 'See `ModelShape`.');
  if (initDirectory === null) {
    const texts = () => exampleTexts(request.examplesPath);
    const specialTokens = markersOf(texts());
    const tokenizer = trainTokenizer(texts(), { vocabularySize: shape.vocabularySize, specialTokens });
    const proofWords = hasSlots(tokenizer) ? proofWordsOf(proofsIn(request.examplesPath), null) : null;
    return { tokenizer, proofWords, parameters: initialParameters(shape, request.seed), parent: null };
  }
  const checkpoint = await readCheckpoint(initDirectory);
  const difference = differenceOf(shape, checkpoint.shape);
  if (difference !== null)
    throw new StpError(
      'STP1002',
      `checkpoint ${initDirectory}: ${difference}`,
      'Ask for the shape of the checkpoint, or start from fresh weights.',
    );
  const layout = parameterLayout(shape);
  const parameters = new Float32Array(layout.size);
  for (const { name, offset } of layout.entries) parameters.set(checkpoint.tensors.get(name)!.values, offset);
  const { tokenizer, manifest } = checkpoint;
  // What is trained by rewards was sampled, so it has no words of its own.
  const isOfProofs = (request.objective ?? LIKELIHOOD).kind === LIKELIHOOD.kind;
  const known = checkpoint.proofWords;
  const proofWords = isOfProofs && known !== null ? proofWordsOf(proofsIn(request.examplesPath), known) : known;
  return { tokenizer, proofWords, parameters, parent: manifest.model };
}

function* exampleTexts(path: string): Generator<string> {
  for (const { prompt, target } of readRows(path, likelihood)) {
    yield prompt;
    yield target;
  }
}

function* proofsIn(path: string): Generator<ProofText> {
  for (const row of readRows(path, likelihood)) if (row.prompt.endsWith(PROOF_MARKER)) yield row;
}

const hasSlots = ({ specialTokens }: Tokenizer): boolean => [...specialTokens.values()].some(isSlot);

function differenceOf(asked: ModelShape, found: ModelShape): string | null {
  const [wanted, has] = [asked, found].map((shape) => ({ ...shape, tiedEmbeddings: shape.tiedEmbeddings ?? true }));
  for (const key of Object.keys(wanted!) as (keyof ModelShape)[])
    if (wanted![key] !== has![key]) return `its ${key} is ${has![key]}, asked for ${wanted![key]}`;
  return null;
}
