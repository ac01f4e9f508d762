/** Estimates llama.cpp's memory for sampling a GGUF, by formulas over the file's header. */
import { foreign } from '../damaged.ts';
import { type GgufFile, type GgufValue, readGguf, textIn } from '../gguf/gguf-file.ts';
import { BATCH_TOKENS, CONTEXT_DEFAULT_MAX } from '../llama-cpp/opening.ts';
import type { Part } from '../memory-part.ts';

const GIB = 2 ** 30;
/** Memory of Node and the libraries. */
const PROCESS_GIB = 0.18;
/** Bytes of a cached number: half precision. */
const CACHE_BYTES = 2;
/** Bytes for each logit: the sampler's copy with ids and probabilities, and a buffer for sorting. */
const LOGIT_BYTES = 24;

export interface GgufSampling {
  /** Tokens; null: the engine's default. */
  readonly contextLength: number | null;
  /** Samples decoded together. */
  readonly sequences: number;
}

export interface GgufPlan {
  readonly contextLength: number;
  readonly parts: readonly Part[];
}

/** Throws STP1302 for a file that is damaged or whose header lacks the sizes. */
export async function planGguf(path: string, sampling: GgufSampling): Promise<GgufPlan> {
  const plan = ggufMemory(await readGguf(path), sampling);
  if (plan === null) throw foreign(path, 'its header does not say how large the model is');
  return plan;
}

/** Returns null if the header lacks the sizes. */
export function ggufMemory({ metadata, tensors }: GgufFile, sampling: GgufSampling): GgufPlan | null {
  const architecture = textIn(metadata, 'general.architecture');
  const field = (name: string): GgufValue | undefined => metadata.get(`${architecture}.${name}`);
  const [layers, hiddenSize] = [numberOf(field('block_count')), numberOf(field('embedding_length'))];
  const [heads, trainedLength] = [firstOf(field('attention.head_count')), numberOf(field('context_length'))];
  if (layers === null || hiddenSize === null || heads === null || trainedLength === null) return null;
  const keyValueHeads = field('attention.head_count_kv') ?? heads;
  const headSize = hiddenSize / heads;
  const keyLength = numberOf(field('attention.key_length')) ?? headSize;
  const valueLength = numberOf(field('attention.value_length')) ?? headSize;
  // Layers may differ in their numbers of heads; the field is then a list.
  const headsOfAll = Array.isArray(keyValueHeads)
    ? keyValueHeads.reduce((sum: number, one) => sum + Number(one), 0)
    : layers * Number(keyValueHeads);
  const vocabulary = metadata.get('tokenizer.ggml.tokens');
  const sizes = {
    bytes: tensors.reduce((sum, tensor) => sum + tensor.bytes, 0),
    cachedNumbers: headsOfAll * (keyLength + valueLength),
    vocabularySize: Array.isArray(vocabulary) ? vocabulary.length : 0,
    feedForwardSize: firstOf(field('feed_forward_length')) ?? 4 * hiddenSize,
    hiddenSize,
    trainedLength,
  };
  return llamaCppMemory(sizes, sampling);
}

interface SampledSizes {
  /** Of the weights. */
  readonly bytes: number;
  /** Numbers that the cache holds of each token. */
  readonly cachedNumbers: number;
  readonly hiddenSize: number;
  readonly feedForwardSize: number;
  readonly vocabularySize: number;
  readonly trainedLength: number;
}

export function llamaCppMemory(sizes: SampledSizes, { contextLength, sequences }: GgufSampling): GgufPlan {
  const perToken = CACHE_BYTES * sizes.cachedNumbers;
  const context = Math.min(contextLength ?? CONTEXT_DEFAULT_MAX, sizes.trainedLength);
  const cache = (sequences + 1) * context * perToken;
  const buffers =
    4 * BATCH_TOKENS * (4 * sizes.hiddenSize + 3 * sizes.feedForwardSize) +
    sequences * sizes.vocabularySize * LOGIT_BYTES;
  return {
    contextLength: context,
    parts: [
      { what: 'weights', gib: sizes.bytes / GIB, formula: 'as the file has them' },
      {
        what: 'cache',
        gib: cache / GIB,
        formula: `${sequences} samples and their prompt × ${context} tokens × ${perToken} bytes`,
      },
      {
        what: 'buffers',
        gib: buffers / GIB,
        formula: `${BATCH_TOKENS} tokens of a batch, ${sequences} rows of logits`,
      },
      { what: 'process', gib: PROCESS_GIB, formula: 'measured' },
    ],
  };
}

const numberOf = (value: GgufValue | undefined): number | null => (typeof value === 'number' ? value : null);
const firstOf = (value: GgufValue | undefined): number | null =>
  numberOf(Array.isArray(value) ? value[0] : (value as GgufValue | undefined));
