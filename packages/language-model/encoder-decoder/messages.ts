/** Messages between an encoder-decoder's process and its parent. */
import type { Written } from './beam-search.ts';

export interface WriteRequest {
  /** Text for the encoder; cut to `inputBytesMax` bytes, its end included. */
  readonly input: string;
  /** The start of every answer, which the decoder continues. */
  readonly prefix: string;
  readonly inputBytesMax: number;
  /** Maximum tokens of an answer, without the prefix. */
  readonly maxTokens: number;
  readonly search:
    | { readonly kind: 'beam'; readonly beams: number; readonly lengthPenalty: number }
    | { readonly kind: 'sample'; readonly temperature: number; readonly seeds: readonly number[] };
}

export interface WrittenText extends Omit<Written, 'ids'> {
  /** The answer, its prefix included. */
  readonly text: string;
  /** `sumLogprob` / `tokens`. */
  readonly meanLogprob: number;
}

export type EncoderDecoderRequest =
  | { readonly type: 'open'; readonly folder: string; readonly threads: number }
  | { readonly type: 'write'; readonly key: number; readonly request: WriteRequest }
  | { readonly type: 'embed'; readonly key: number; readonly text: string; readonly inputBytesMax: number }
  | { readonly type: 'drop'; readonly key: number };

export type EncoderDecoderMessage =
  | { readonly type: 'opened'; readonly model: string }
  | { readonly type: 'alive' }
  | { readonly type: 'dropped'; readonly key: number }
  | { readonly type: 'written'; readonly key: number; readonly texts: readonly WrittenText[] }
  | { readonly type: 'embedded'; readonly key: number; readonly vector: Float32Array };
