/**
 * Samples answers in the forms of their statements and reads the proofs from them. Large models take minutes for an
 * answer, so finished answers are stored. After a lost attempt the next one samples only the others.
 */

import { formatOf, type RunConfig } from '@stp/config';
import type { ChatMessage, ObjectStore } from '@stp/config/records';
import type { Completion, Generator } from '@stp/language-model';
import type { Answer, ProverForm, RawSample } from '@stp/selfplay';
import { z } from 'zod';
import { LINE_BYTES_MAX } from '../../records/line-batches.ts';
import { RecordParts } from '../../records/record-parts.ts';

export interface AnswerRequest {
  /** Id of the statement. */
  readonly id: string;
  /** Index of the sample. */
  readonly index: number;
  readonly form: ProverForm;
  readonly prompt: string;
  readonly messages?: readonly ChatMessage[];
  readonly seed: number;
}

/** Where finished answers are stored meanwhile. */
export interface Keeping {
  readonly store: ObjectStore;
  /** Folder of this sampling's objects. */
  readonly name: string;
  /** Model that wrote the answers. Those of another model are ignored. */
  readonly model: string;
  /** A part is written after this time, ms; shorter samplings write none. */
  readonly afterMs?: number;
}

const PART_AFTER_MS = 30_000;

const keptAnswerSchema = z.strictObject({
  model: z.string(),
  statementId: z.string(),
  index: z.int().nonnegative(),
  seed: z.number(),
  text: z.string(),
  tokens: z.int().nonnegative(),
  promptTokens: z.int().nonnegative().optional(),
  logprob: z.number().nullable(),
  finish: z.enum(['stop', 'length']),
});
type KeptAnswer = z.infer<typeof keptAnswerSchema>;

export interface SampledAnswers {
  readonly completions: readonly Completion[];
  readonly raw: readonly RawSample[];
  /** Removes the stored answers. Call it after the results made from them are in the store. */
  readonly forget: () => Promise<void>;
}

export async function sampleAnswers(
  generator: Pick<Generator, 'sample'>,
  { prover, sampling }: Pick<RunConfig, 'prover' | 'sampling'>,
  requests: readonly AnswerRequest[],
  { store, name, model, afterMs = PART_AFTER_MS }: Keeping,
  signal: AbortSignal,
  report: (progress: unknown) => void,
): Promise<SampledAnswers> {
  const { temperature, topP, maxTokens } = sampling;
  const { stop } = formatOf(prover ?? {}).prover;
  const parts = await RecordParts.open<KeptAnswer>(store, `${name}/answer-parts`, {
    schema: keptAnswerSchema,
    tag: 'answers',
    recordsMax: Number.POSITIVE_INFINITY,
    afterMs,
  });
  const kept = new Map(
    parts.earlier.flatMap(({ records }) => records).map((answer) => [keyOf(answer.model, answer), answer]),
  );
  const earlierOf = (request: AnswerRequest): Completion | undefined => {
    const found = kept.get(keyOf(model, { ...request, statementId: request.id }));
    if (found === undefined) return undefined;
    const { text, tokens, promptTokens, logprob, finish } = found;
    return { id: request.id, text, tokens, logprob, finish, ...(promptTokens === undefined ? {} : { promptTokens }) };
  };
  const earlier = requests.map(earlierOf);
  const open = requests.filter((_, at) => earlier[at] === undefined);
  const isComplete = open.some(({ form }) => form.isComplete !== undefined)
    ? { isComplete: (at: number, text: string) => open[at]!.form.isComplete?.(text) ?? false }
    : {};
  let made: readonly Completion[] = [];
  try {
    if (open.length > 0)
      made = await generator.sample(
        open,
        { temperature, topP, maxTokens, ...(stop.length > 0 ? { stop } : {}) },
        {
          signal,
          onProgress: report,
          onCompletion: (at, { text, tokens, promptTokens, logprob, finish }) => {
            const { id, index, seed } = open[at]!;
            const answer: KeptAnswer = {
              model,
              statementId: id,
              index,
              seed,
              text,
              tokens,
              logprob,
              finish,
              ...(promptTokens === undefined ? {} : { promptTokens }),
            };
            // An answer that is too long for a line of records is sampled again.
            if (Buffer.byteLength(JSON.stringify(answer)) < LINE_BYTES_MAX) parts.add(answer);
          },
          ...isComplete,
        },
      );
  } catch (error) {
    await parts.keepAll();
    throw error;
  }
  let next = 0;
  const completions = earlier.map((completion) => completion ?? made[next++]!);
  const raw = completions.map((completion, at): RawSample => {
    const { form, index, seed } = requests[at]!;
    const answer = form.read(completion.text, completion.finish);
    return { ...completion, ...taken(answer), statementId: completion.id, index, seed };
  });
  return { completions, raw, forget: () => parts.remove() };
}

const keyOf = (
  model: string,
  { statementId, index, seed }: Pick<KeptAnswer, 'statementId' | 'index' | 'seed'>,
): string => `${model} ${statementId} ${index} ${seed}`;

/** Returns the part of an answer that goes into its sample's record. */
function taken(answer: Answer): Pick<RawSample, 'text' | 'refused' | 'changedStatement' | 'dropped'> {
  if (answer.kind === 'refused') return { text: '', refused: answer.refusal };
  const { proof: text, changed, dropped } = answer;
  return {
    text,
    ...(changed ? { changedStatement: true as const } : {}),
    ...(dropped === undefined ? {} : { dropped }),
  };
}
