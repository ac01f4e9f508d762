/**
 * The requests to a sampling process, and its answers. Keys name samples and batches of texts; the parent makes them.
 */
import type { ModelFacts } from '../../generator.ts';
import type { Sampled, SampleGroup, SampleText } from '../sampling/sampler.ts';

export type SamplingRequest =
  /** First: opens the checkpoint folder, to decode `rows` samples together. Answered by `opened`. */
  | { readonly type: 'open'; readonly checkpointDirectory: string; readonly rows: number }
  | { readonly type: 'add'; readonly group: SampleGroup }
  | { readonly type: 'drop'; readonly keys: ReadonlySet<number> }
  /** Answered by `embedded` with the same key. */
  | { readonly type: 'embed'; readonly key: number; readonly texts: readonly string[] };

export type SamplingMessage =
  | { readonly type: 'opened'; readonly model: ModelFacts }
  /** Samples that ended since the last message and text of streamed ones; now and then none, as a sign of progress. */
  | { readonly type: 'sampled'; readonly samples: readonly Sampled[]; readonly texts: readonly SampleText[] }
  /** Vectors of the texts, one after another. */
  | { readonly type: 'embedded'; readonly key: number; readonly vectors: Float32Array };
