/**
 * The requests to a sampling process, and its answers. The parent makes keys, which name samples, batches of texts and
 * questions. The type `Opening` is what the child needs to open its model.
 */
import type { ModelFacts } from '../../generator.ts';
import type { Sampled, SampleText } from '../sampling/growing-sample.ts';
import type { SampleGroup } from '../sampling/sampler.ts';

/** Asks for the tokens of a prompt, or for the text of tokens. */
export type TokensQuestion = { readonly text: string } | { readonly ids: readonly number[] };
export type TokensAnswer = { readonly text: string; readonly ids: readonly number[] };

export type SamplingRequest<Opening = unknown> =
  /** The first request: opens the model, to decode `rows` samples together. Answered by `opened`. */
  | { readonly type: 'open'; readonly opening: Opening; readonly rows: number }
  | { readonly type: 'add'; readonly group: SampleGroup }
  | { readonly type: 'drop'; readonly keys: ReadonlySet<number> }
  /** Answered by `embedded` with the same key. */
  | { readonly type: 'embed'; readonly key: number; readonly texts: readonly string[] }
  /** Answered by `answered` with the same key. */
  | { readonly type: 'ask'; readonly key: number; readonly question: TokensQuestion };

export type SamplingMessage =
  | { readonly type: 'opened'; readonly model: ModelFacts }
  /**
   * Samples that ended since the last message, and text of streamed samples. Sometimes empty, as a sign of progress.
   */
  | { readonly type: 'sampled'; readonly samples: readonly Sampled[]; readonly texts: readonly SampleText[] }
  /** Vectors of the texts, one after another. */
  | { readonly type: 'embedded'; readonly key: number; readonly vectors: Float32Array }
  | { readonly type: 'answered'; readonly key: number; readonly answer: TokensAnswer };
