/** Measures how fast an engine samples one sequence: some seconds of sampling, on the machine and under the load of now. */
import type { Completion, Generator } from './generator.ts';

export interface SamplingSpeed {
  readonly tokensPerSecond: number;
  /** Tokens that were timed. */
  readonly tokens: number;
  readonly seconds: number;
}

/** A short text: reading it takes little of the time. */
const PROMPT = 'theorem add_comm (a b : Nat) : a + b = b + a :=';
/** Tokens of the first sample, which is not timed, and of the second, whose speed gives the length of the others. */
const FIRST_TOKENS = 4;
const TOKENS_MAX = 256;
const SECONDS = 3;

/** Samples one sequence after the other for about `seconds`. The prompt is read each time. */
export async function measureSampling(
  generator: Generator,
  { seconds = SECONDS, signal }: { readonly seconds?: number; readonly signal?: AbortSignal } = {},
): Promise<SamplingSpeed> {
  const most = Math.min(TOKENS_MAX, Math.floor(generator.model.contextLength / 2));
  let seed = 0;
  const sample = async (maxTokens: number): Promise<Completion> => {
    const request = { id: 'measure', prompt: PROMPT, seed: seed++ };
    const sampling = { temperature: 1, topP: 1, maxTokens: Math.min(most, Math.max(FIRST_TOKENS, maxTokens)) };
    const [completion] = await generator.sample([request], sampling, { ...(signal && { signal }) });
    return completion!;
  };
  await sample(FIRST_TOKENS);
  let tokens = 0;
  let taken = 0;
  do {
    const before = performance.now();
    const left = tokens === 0 ? FIRST_TOKENS : Math.ceil((tokens / taken) * (seconds - taken));
    tokens += (await sample(left)).tokens;
    taken += (performance.now() - before) / 1_000;
  } while (taken < seconds);
  return { tokensPerSecond: tokens / taken, tokens, seconds: taken };
}
