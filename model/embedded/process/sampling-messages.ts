/** What a sampling process is asked, and what it answers. Keys name samples; the parent makes them. */
import type { Sampled, SampleGroup } from '../sampling/sampler.ts';

export type SamplingRequest =
  /** First: opens the checkpoint folder, to decode `rows` samples together. Answered by `opened`. */
  | { readonly type: 'open'; readonly checkpointDirectory: string; readonly rows: number }
  | { readonly type: 'add'; readonly group: SampleGroup }
  | { readonly type: 'drop'; readonly keys: ReadonlySet<number> };

export type SamplingMessage =
  | { readonly type: 'opened' }
  /** Samples that ended since the last message; now and then none, as a sign of progress. */
  | { readonly type: 'sampled'; readonly samples: readonly Sampled[] };
