/** Uses a model as an engine: the embedded one, or one on a server. */
import type { Generator } from '@stp/language-model';
import { seedFrom } from '@stp/selfplay';
import type { PromptKind } from '../defaults.ts';
import { untilAborted } from '../until-aborted.ts';
import { bestOfEach, type Engine, type Proposal, type Query } from './engine.ts';
import { promptsOf } from './prompts.ts';

/** The default of llmstep's servers. */
const MAX_TOKENS = 128;

export interface ModelEngineOptions {
  readonly name: string;
  readonly prompt: PromptKind;
  readonly temperatures: readonly number[];
  /** Number of samples at each temperature above 0; at 0 there is one. */
  readonly samples: number;
  readonly maxTokens?: number;
}

export function modelEngine(generator: Generator, options: ModelEngineOptions): Engine {
  const { name, prompt, temperatures, samples, maxTokens = MAX_TOKENS } = options;

  async function sampleAt(query: Query, temperature: number, signal: AbortSignal): Promise<Proposal[]> {
    const prompts = promptsOf(prompt, query);
    const requests = prompts.flatMap((one, index) =>
      Array.from({ length: temperature === 0 ? 1 : samples }, (_, sample) => ({
        id: `${index}`,
        prompt: one.prompt,
        seed: seedFrom('suggest', query.state, query.prefix, index, temperature, sample),
      })),
    );
    const stop = prompts[0]!.stop;
    const sampling = { temperature, topP: 1, maxTokens, ...(stop.length === 0 ? {} : { stop }) };
    const completions = await untilAborted(generator.sample(requests, sampling, { signal }), signal);
    return completions.flatMap(({ id, text, logprob, tokens, finish }): Proposal[] => {
      const tactic = prompts[Number(id)]!.read(text).trimEnd();
      if (finish === 'length' || tactic.trim() === '' || !tactic.startsWith(query.prefix)) return [];
      return [{ text: tactic, logprob, score: logprob === null ? null : logprob / Math.max(1, tokens) }];
    });
  }

  return {
    name,
    identity: JSON.stringify([generator.model.name, prompt, temperatures, samples, maxTokens]),
    async propose(query, signal) {
      return bestOfEach((await Promise.all(temperatures.map((one) => sampleAt(query, one, signal)))).flat());
    },
    async embed(text, signal) {
      const [vector] = await untilAborted(generator.embed([text], { signal }), signal);
      return vector!;
    },
    close: () => generator.close(),
  };
}
