/** A sample that grows token by token: its text, its end, its log-probabilities. Independent of the engine. */
import type { SamplingOptions, TokenLogprob } from '../../generator.ts';
import { SampleTextBuilder } from './sample-text.ts';

/** Maps the tokens that an engine chooses to text. */
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
  /** The key given with the group. */
  readonly key: number;
  readonly text: string;
  /** Number of chosen tokens, end-of-text included. */
  readonly tokens: number;
  readonly logprob: number;
  readonly finish: 'stop' | 'length';
  readonly tokenLogprobs?: readonly TokenLogprob[];
}

/** A piece of a streamed sample's text. */
export interface SampleText {
  readonly key: number;
  readonly delta: string;
}

/** The results of a step: ended samples, and the pieces of streamed text. */
export interface Step {
  readonly ended: Sampled[];
  readonly texts: SampleText[];
}

export interface GrowingSampleOptions {
  readonly key: number;
  readonly seed: number;
  readonly sampling: SamplingOptions;
  /** Maximum number of tokens. */
  readonly tokensMax: number;
  readonly isStreamed: boolean;
}

export class GrowingSample {
  readonly key: number;
  readonly seed: number;
  readonly sampling: SamplingOptions;
  readonly tokensMax: number;
  /** The chosen tokens. */
  readonly ids: number[] = [];
  readonly #isStreamed: boolean;
  readonly #tokens: SampledTokens;
  readonly #text: SampleTextBuilder;
  /** If requested: the log-probability of each chosen token, and the most likely tokens at its position. */
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

  /** Number of most likely tokens that are requested at each position. */
  get topsWanted(): number {
    return this.sampling.tokenLogprobs ? (this.sampling.topLogprobs ?? 0) : 0;
  }

  /** Takes the next token. Returns false if it ended the sample. */
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
