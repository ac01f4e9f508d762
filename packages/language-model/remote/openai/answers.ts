/** Puts the choices of an answer together, whole or from the events of a stream, and makes completions of them. */
import type { Completion, SamplingOptions, TokenLogprob } from '../../generator.ts';
import type { WireAnswer, WirePart, WireToken } from './wire.ts';

/** Marks around what a server has parsed as thinking: the text reads as if the model had written it, as other servers give it. */
const THINKING = ['<think>', '</think>'] as const;

/** One choice, as far as it is known. */
class Choice {
  text = '';
  thinking = '';
  /** Events that added text: the number of tokens, where nothing else tells. */
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
  /** Its events are tokens, where nothing else counts them. */
  readonly isStream?: boolean;
  /** A stream that was ended here, before the server ended it. */
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

  /** The server has ended each of so many choices. */
  hasEnded(count: number): boolean {
    return this.count >= count && [...this.#choices.values()].every(({ finish }) => finish !== null);
  }

  /**
   * A completion for each choice, by index; a text says what is wrong with them. A server that ignores `stop` is made up
   * for: the text is cut here.
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

  /** `usage` counts all choices of a request together: the shares differ by one token at most. */
  #tokensOf(choice: Choice, at: number, isStream: boolean): number | null {
    if (choice.hasLogprobs) return choice.tokens.length;
    if (this.#usage !== null) return Math.floor((this.#usage.completion_tokens + at) / this.count);
    return isStream ? choice.events : null;
  }
}

function tokenLogprob({ token, logprob, top }: WireToken, count: number): TokenLogprob {
  if (count === 0 || top.length === 0) return { token, logprob };
  // Servers add the chosen token where it is not among the likeliest.
  const likeliest = [...top].sort((a, b) => b.logprob - a.logprob).slice(0, count);
  return { token, logprob, top: likeliest.map(({ token: other, logprob: its }) => ({ token: other, logprob: its })) };
}
