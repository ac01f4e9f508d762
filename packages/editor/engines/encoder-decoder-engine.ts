/**
 * Uses an encoder-decoder as an engine: ReProver's generators, by beam search at temperature 0 and by sampling above
 * it.
 */
import type { EncoderDecoder, WrittenText } from '@stp/language-model';
import { seedFrom } from '@stp/selfplay';
import { bestOfEach, type Engine, type Query } from './engine.ts';

/** Maximum bytes of an input including its end, as in the training of ReProver's generators. */
const INPUT_BYTES_MAX = 2_300;
/** Matches tags around premise names in ReProver's training data. */
const MARK = /<\/?a>/gu;

export interface EncoderDecoderEngineOptions {
  readonly name: string;
  /** Temperature 0 means beam search with as many beams as samples. */
  readonly temperatures: readonly number[];
  readonly samples: number;
  /** Maximum bytes of a tactic; ReProver uses 512. */
  readonly maxTokens: number;
  /** Exponent of the beam search's length penalty. ReProver and LeanCopilot use 0, which compares sums. */
  readonly lengthPenalty: number;
}

export function encoderDecoderEngine(model: EncoderDecoder, options: EncoderDecoderEngineOptions): Engine {
  const { name, temperatures, samples, maxTokens, lengthPenalty } = options;

  function write(query: Query, temperature: number, signal: AbortSignal): Promise<readonly WrittenText[]> {
    const { state: input, prefix } = query;
    const search =
      temperature === 0
        ? ({ kind: 'beam', beams: samples, lengthPenalty } as const)
        : ({
            kind: 'sample',
            temperature,
            seeds: Array.from({ length: samples }, (_, sample) =>
              seedFrom('suggest', input, prefix, temperature, sample),
            ),
          } as const);
    return model.write({ input, prefix, inputBytesMax: INPUT_BYTES_MAX, maxTokens, search }, signal);
  }

  return {
    name,
    identity: JSON.stringify([model.model, temperatures, samples, maxTokens, lengthPenalty]),
    async propose(query, signal) {
      const written = (await Promise.all(temperatures.map((one) => write(query, one, signal)))).flat();
      return bestOfEach(
        written.flatMap(({ text, finish, sumLogprob, meanLogprob }) => {
          const tactic = text.replaceAll(MARK, '').trimEnd();
          const isWhole = finish === 'stop' && tactic.trim() !== '' && tactic.startsWith(query.prefix);
          return isWhole ? [{ text: tactic, logprob: sumLogprob, score: meanLogprob }] : [];
        }),
      );
    },
    embed: (text, signal) => model.embed(text, INPUT_BYTES_MAX, signal),
    close: () => model.close(),
  };
}
