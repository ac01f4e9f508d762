/** A sample that grows token by token: its text, what ends it, its log-probabilities. Knows no engine. */
import type { SamplingOptions, TokenLogprob } from '../../generator.ts';
import { SampleTextBuilder } from './sample-text.ts';

/** Meaning of the tokens that an engine chooses. */
export interface SampledTokens {
  /** Ids that end a text. */
  readonly endIds: ReadonlySet<number>;
  bytesOf(id: number): Uint8Array;
  decode(ids: readonly number[]): string;
}

export interface ChosenToken {
  readonly id: number;
  /** Natural log-probability at temperature 1 over the whole vocabulary. */
  readonly logprob: number;
}

export interface Sampled {
  /** As given in the group. */
  readonly key: number;
  readonly text: string;
  /** Tokens chosen, end-of-text included. */
  readonly tokens: number;
  readonly logprob: number;
  readonly finish: 'stop' | 'length';
  readonly tokenLogprobs?: readonly TokenLogprob[];
}

/** A piece of a streamed sample's text; it follows the pieces before it. */
export interface SampleText {
  readonly key: number;
  readonly delta: string;
}

/** Outcome of a step. All text of a sample that ended is in this step's or earlier ones. */
export interface Step {
  readonly ended: Sampled[];
  readonly texts: SampleText[];
}

export interface GrowingSampleOptions {
  readonly key: number;
  readonly seed: number;
  readonly sampling: SamplingOptions;
  /** Tokens it may have in all. */
  readonly tokensMax: number;
  readonly isStreamed: boolean;
}

export class GrowingSample {
  readonly key: number;
  readonly seed: number;
  readonly sampling: SamplingOptions;
  readonly tokensMax: number;
  /** Tokens chosen. */
  readonly ids: number[] = [];
  readonly #isStreamed: boolean;
  readonly #tokens: SampledTokens;
  readonly #text: SampleTextBuilder;
  /** One a chosen token, where asked for, and the likeliest at each of their places. */
  readonly #logprobs: number[] = [];
  readonly #tops: (readonly ChosenToken[])[] = [];
  #logprob = 0;

  constructor({ key, seed, sampling, tokensMax, isStreamed }: GrowingSampleOptions, tokens: SampledTokens) {
    this.key = key;
    this.seed = seed;
    this.sampling = sampling;
    this.tokensMax = tokensMax;
    this.#isStreamed = isStreamed;
    this.#tokens = tokens;
    this.#text = new SampleTextBuilder(sampling.stop ?? []);
  }

  /** The number of likeliest tokens that are wanted at each place. */
  get topsWanted(): number {
    return this.sampling.tokenLogprobs ? (this.sampling.topLogprobs ?? 0) : 0;
  }

  /** Takes the next token; false, with the sample ended, when it was the last. */
  push({ id, logprob }: ChosenToken, top: readonly ChosenToken[], step: Step): boolean {
    this.ids.push(id);
    this.#logprob += logprob;
    if (this.sampling.tokenLogprobs) this.#logprobs.push(logprob);
    if (this.topsWanted > 0) this.#tops.push(top);
    const isEnd = this.#tokens.endIds.has(id);
    if (isEnd || this.#text.push(this.#tokens.bytesOf(id))) this.end('stop', step);
    else if (this.ids.length >= this.tokensMax) this.end('length', step);
    else {
      this.#show(step);
      return true;
    }
    return false;
  }

  end(finish: Sampled['finish'], step: Step): void {
    this.#text.finish();
    this.#show(step);
    const { key, ids } = this;
    const sampled: Sampled = { key, text: this.#text.text, tokens: ids.length, logprob: this.#logprob, finish };
    if (!this.sampling.tokenLogprobs) {
      step.ended.push(sampled);
      return;
    }
    const tokenOf = ({ id, logprob }: ChosenToken) => ({ token: this.#tokens.decode([id]), logprob });
    const tokenLogprobs = ids.map((id, at) => {
      const chosen = tokenOf({ id, logprob: this.#logprobs[at]! });
      const top = this.#tops[at]?.map(tokenOf);
      return top === undefined ? chosen : { ...chosen, top };
    });
    step.ended.push({ ...sampled, tokenLogprobs });
  }

  #show(step: Step): void {
    if (!this.#isStreamed) return;
    const delta = this.#text.takeShowable();
    if (delta !== '') step.texts.push({ key: this.key, delta });
  }
}
