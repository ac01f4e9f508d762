/**
 * The start of a training: weights and tokenizer of a checkpoint or of a foreign model's folder, or random weights and
 * a tokenizer trained on the examples.
 */
import { describeIssues, StpError } from '@stp/base';
import { LIKELIHOOD } from '@stp/config';
import { PROOF_MARKER } from '@stp/config/words';
import type { Architecture } from '../../checkpoint/architecture.ts';
import { type KeptFiles, keptFiles } from '../../checkpoint/checkpoint.ts';
import { modelShapeSchema } from '../../checkpoint/config.ts';
import { OWN_CONSTANTS } from '../../checkpoint/llama-tensors.ts';
import { modelFiles, readModel } from '../../checkpoint/model-folder.ts';
import type { ProofWords } from '../../tokenizer/proof-words.ts';
import { isSlot, markersOf } from '../../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { trainTokenizer } from '../../tokenizer/train.ts';
import type { ModelShape, TrainRequest } from '../../trainer.ts';
import { likelihood } from '../objectives/likelihood.ts';
import { type ProofText, proofWordsOf } from '../proof-grammar/proof-words.ts';
import { readRows } from './example-file.ts';
import { initialParameters } from './initial-parameters.ts';
import { flatParameters, parameterLayout } from './parameter-layout.ts';

export interface InitialState {
  /** The sizes are the requested ones. */
  readonly architecture: Architecture;
  readonly tokenizer: Tokenizer;
  /** Words of the proofs of this training and of earlier ones. */
  readonly proofWords: ProofWords | null;
  /** Flat vector of the architecture's `parameterLayout`. The caller may change it. */
  readonly parameters: Float32Array;
  /** Name of the model that the weights are from; null for random weights. */
  readonly parent: string | null;
  /** The kept files of that model; null for random weights. */
  readonly kept: KeptFiles | null;
}

/**
 * Throws STP1002 if the shape is impossible or not the model's, STP1302 if the model's folder is damaged or of an
 * unsupported kind.
 */
export async function initialState(
  request: Pick<TrainRequest, 'examplesPath' | 'shape' | 'seed' | 'initDirectory' | 'objective'>,
): Promise<InitialState> {
  const { shape, initDirectory } = request;
  if (initDirectory === null) {
    const parsed = modelShapeSchema.safeParse(shape);
    if (!parsed.success)
      throw new StpError('STP1002', `model shape: ${describeIssues(parsed.error)}`, 'See `ModelShape`.');
    const texts = () => exampleTexts(request.examplesPath);
    const specialTokens = markersOf(texts());
    const tokenizer = trainTokenizer(texts(), { vocabularySize: shape.vocabularySize, specialTokens });
    const proofWords = hasSlots(tokenizer) ? proofWordsOf(proofsIn(request.examplesPath), null) : null;
    const architecture = { shape, constants: OWN_CONSTANTS };
    const parameters = initialParameters(shape, request.seed);
    return { architecture, tokenizer, proofWords, parameters, parent: null, kept: null };
  }
  const found = await readModel(initDirectory);
  const difference = differenceOf(shape, found.shape);
  if (difference !== null)
    throw new StpError(
      'STP1002',
      `model ${initDirectory}: ${difference}`,
      'Ask for the shape of the model (`model` of the configuration), or start from fresh weights.',
    );
  const { constants, tokenizer, proofWords: known, model: parent } = found;
  // Training by rewards uses sampled texts, so it adds no words.
  const isOfProofs = (request.objective ?? LIKELIHOOD).kind === LIKELIHOOD.kind;
  const proofWords = isOfProofs && known !== null ? proofWordsOf(proofsIn(request.examplesPath), known) : known;
  const parameters = flatParameters(parameterLayout(shape, constants), found.tensors);
  const kept = await keptFiles(await modelFiles(initDirectory));
  return { architecture: { shape, constants }, tokenizer, proofWords, parameters, parent, kept };
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

/** Returns the difference in words, or null. A training may use a shorter context than the model's. */
function differenceOf(asked: ModelShape, found: ModelShape): string | null {
  const [wanted, has] = [asked, found].map((shape) => ({ ...shape, tiedEmbeddings: shape.tiedEmbeddings ?? true }));
  if (wanted!.contextLength > has!.contextLength)
    return `it reads ${has!.contextLength} tokens (its contextLength, or its attention's window), asked for ${wanted!.contextLength}`;
  for (const key of Object.keys(wanted!) as (keyof ModelShape)[])
    if (key !== 'contextLength' && wanted![key] !== has![key])
      return `its ${key} is ${has![key]}, asked for ${wanted![key]}`;
  return null;
}
