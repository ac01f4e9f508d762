/** Bodies of sampling requests to OpenAI-compatible servers, and readers of their answers. */
import type { StreamEnd } from '@stp/http';
import type { Completion, SampleRequest, SamplingOptions } from '../../generator.ts';
import { AnswerReader } from './answers.ts';
import { typedGrammarText } from './grammar-text.ts';
import type { EventReader } from './model-server.ts';
import type { Unit } from './request-line.ts';
import type { SamplingPath, WireAnswer } from './wire.ts';

/**
 * Returns the body of a request for samples of one prompt.
 * @param asked `tokensWanted` null: up to the end of the context
 * @param isStrict the server refuses fields that are not OpenAI's
 */
export function samplingBody(
  path: SamplingPath,
  servedName: string,
  asked: { readonly unit: Unit; readonly sampling: SamplingOptions; readonly tokensWanted: number | null },
  isStrict: boolean,
): object {
  const { unit, sampling, tokensWanted } = asked;
  const [{ prompt, messages, seed, grammar }] = unit.requests as [SampleRequest];
  const { temperature, topP, stop, tokenLogprobs, topLogprobs = 0 } = sampling;
  const common = {
    model: servedName,
    n: unit.requests.length,
    seed,
    temperature,
    top_p: topP,
    ...(stop && stop.length > 0 ? { stop } : {}),
    // For vLLM 0.12 and later. Other servers ignore or refuse it, so equations are tested in any case.
    ...(grammar === undefined ? {} : { structured_outputs: { grammar: typedGrammarText(grammar) } }),
  };
  if (path === 'completions')
    return {
      ...common,
      prompt,
      max_tokens: tokensWanted,
      logprobs: tokenLogprobs ? topLogprobs : 0,
      // For vLLM and SGLang: our separators are special tokens and belong to the text. Other servers ignore or refuse
      // it.
      ...(isStrict ? {} : { skip_special_tokens: false }),
    };
  return {
    ...common,
    messages,
    // OpenAI has no number for "up to the end of the context" here.
    ...(tokensWanted === null ? {} : { max_tokens: tokensWanted }),
    ...(tokenLogprobs ? { logprobs: true, top_logprobs: topLogprobs } : {}),
  };
}

/**
 * Returns the options of a stream. With one choice vLLM counts tokens at every event, so an answer ended early is
 * counted too.
 */
export const streamOptions = (choices: number, isStrict: boolean): object => ({
  include_usage: true,
  ...(choices === 1 && !isStrict ? { continuous_usage_stats: true } : {}),
});

/** Returns the completions of a whole answer, or what is wrong with it. */
export function readWhole(
  answer: WireAnswer,
  ids: readonly string[],
  sampling: SamplingOptions,
): Completion[] | string {
  const reader = new AnswerReader();
  reader.take(answer);
  return reader.completions(ids, sampling);
}

/** Reads a streamed answer until every choice is complete. */
export function streamReader(
  ids: readonly string[],
  sampling: SamplingOptions,
  isComplete: (at: number, text: string) => boolean,
): EventReader<WireAnswer, readonly Completion[]> {
  const reader = new AnswerReader();
  const complete = new Set<number>();
  return {
    take(event) {
      reader.take(event);
      for (const { index, finish } of event.choices)
        if (finish !== null || isComplete(index, reader.textOf(index))) complete.add(index);
      // An answer that the server ends is read to its end, which has the token counts.
      return complete.size < ids.length || reader.hasEnded(ids.length);
    },
    result(end: StreamEnd) {
      if (end === 'whole' && !reader.hasEnded(1)) return 'the stream ended before the answer';
      const endedHere = end === 'stopped' ? 'stop' : 'length';
      const read = reader.completions(ids, { ...sampling, isStream: true, ...(end === 'whole' ? {} : { endedHere }) });
      return typeof read === 'string' ? read : { value: read };
    },
  };
}
