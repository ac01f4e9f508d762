/** Combines the choices of an answer, whole or streamed, and makes completions of them. */
import type { Completion, SamplingOptions, TokenLogprob } from '../../generator.ts';
import type { WireAnswer, WirePart, WireToken } from './wire.ts';

/** Marks around thinking that a server has parsed: the text then reads as from servers that do not parse it. */
const THINKING = ['<think>', '</think>'] as const;

/** One choice, as far as it has arrived. */
class Choice {
  text = '';
  thinking = '';
  /** Number of events with text: the number of tokens, if nothing else counts them. */
  events = 0;
  finish: 'stop' | 'length' | null = null;
  readonly tokens: WireToken[] = [];
  hasLogprobs = false;

  add({ text, finish, logprobs }: WirePart): void {
    this.text += text.answer;
    this.thinking += text.thinking;
    if (text.answer !== '' || text.thinking !== '') this.events += 1;
    this.finish = finish ?? this.finish;
    if (logprobs !== null) {
      this.hasLogprobs = true;
      for (const token of logprobs) this.tokens.push(token);
    }
  }

  get whole(): string {
    return this.thinking === '' ? this.text : `${THINKING[0]}${this.thinking}${THINKING[1]}${this.text}`;
  }
}

export interface ReadOptions extends Pick<SamplingOptions, 'stop' | 'tokenLogprobs' | 'topLogprobs'> {
  /** Whether each event is a token, if nothing else counts them. */
  readonly isStream?: boolean;
  /** Why this client ended the stream before the server did. */
  readonly endedHere?: 'stop' | 'length';
}

export class AnswerReader {
  readonly #choices = new Map<number, Choice>();
  #usage: WireAnswer['usage'] = null;

  take({ choices, usage }: WireAnswer): void {
    for (const part of choices) {
      const choice = this.#choices.get(part.index) ?? new Choice();
      this.#choices.set(part.index, choice);
      choice.add(part);
    }
    this.#usage = usage ?? this.#usage;
  }

  get count(): number {
    return this.#choices.size;
  }

  textOf(index: number): string {
    return this.#choices.get(index)?.whole ?? '';
  }

  /** Returns whether the server has ended all `count` choices. */
  hasEnded(count: number): boolean {
    return this.count >= count && [...this.#choices.values()].every(({ finish }) => finish !== null);
  }

  /**
   * Returns a completion for each choice, by index, or a text that says what is wrong. If the server ignored `stop`,
   * the text is cut here.
   */
  completions(ids: readonly string[], options: ReadOptions): Completion[] | string {
    const indices = [...this.#choices.keys()].sort((a, b) => a - b);
    if (indices.length === 0) return 'choices: there is none';
    if (indices.length > ids.length) return `choices: ${indices.length} for ${ids.length} that were asked for`;
    const made = indices.map((index, at) => this.#completion(this.#choices.get(index)!, ids[at]!, at, options));
    return made.find((one) => typeof one === 'string') ?? (made as Completion[]);
  }

  #completion(choice: Choice, id: string, at: number, options: ReadOptions): Completion | string {
    const { stop = [], tokenLogprobs = false, topLogprobs = 0, isStream = false, endedHere } = options;
    const finish = choice.finish ?? endedHere ?? null;
    if (finish === null) return 'finish_reason: missing';
    if (tokenLogprobs && !choice.hasLogprobs) return 'logprobs: missing';
    const tokens = this.#tokensOf(choice, at, isStream);
    if (tokens === null) return 'neither logprobs nor usage: the number of tokens is not known';
    const whole = choice.whole;
    const cut = Math.min(...stop.map((text) => whole.indexOf(text)).filter((at) => at >= 0), whole.length);
    return {
      id,
      text: whole.slice(0, cut),
      tokens,
      // The prompt of several choices was read once.
      ...(this.#usage === null ? {} : { promptTokens: at === 0 ? this.#usage.prompt_tokens : 0 }),
      logprob: choice.hasLogprobs ? choice.tokens.reduce((sum, { logprob }) => sum + logprob, 0) : null,
      finish: cut < whole.length ? 'stop' : finish,
      ...(tokenLogprobs ? { tokenLogprobs: choice.tokens.map((token) => tokenLogprob(token, topLogprobs)) } : {}),
    };
  }

  /** `usage` counts all choices of a request together, so it is split: shares differ by at most one token. */
  #tokensOf(choice: Choice, at: number, isStream: boolean): number | null {
    if (choice.hasLogprobs) return choice.tokens.length;
    if (this.#usage !== null) return Math.floor((this.#usage.completion_tokens + at) / this.count);
    return isStream ? choice.events : null;
  }
}

function tokenLogprob({ token, logprob, top }: WireToken, count: number): TokenLogprob {
  if (count === 0 || top.length === 0) return { token, logprob };
  // Servers add the chosen token if it is not among the most likely.
  const likeliest = [...top].sort((a, b) => b.logprob - a.logprob).slice(0, count);
  return { token, logprob, top: likeliest.map(({ token: other, logprob: its }) => ({ token: other, logprob: its })) };
}
