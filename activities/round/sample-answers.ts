/** Samples answers in the forms of their statements, and takes the proofs out of them. */
import { formatOf } from '../../data/config/formats.ts';
import type { ChatMessage } from '../../data/schemas/records.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import type { Completion, Generator } from '../../model/generator.ts';
import type { RawSample } from '../../selfplay/dedupe.ts';
import type { Answer } from '../../selfplay/formats/answer.ts';
import type { ProverForm } from '../../selfplay/slots/prover-form.ts';

export interface AnswerRequest {
  /** Of the statement. */
  readonly id: string;
  /** Of the sample. */
  readonly index: number;
  readonly form: ProverForm;
  readonly prompt: string;
  readonly messages?: readonly ChatMessage[];
  readonly seed: number;
}

export async function sampleAnswers(
  generator: Pick<Generator, 'sample'>,
  { prover, sampling }: Pick<RunConfig, 'prover' | 'sampling'>,
  requests: readonly AnswerRequest[],
  signal: AbortSignal,
  report: (progress: unknown) => void,
): Promise<{ readonly completions: readonly Completion[]; readonly raw: readonly RawSample[] }> {
  const { temperature, topP, maxTokens } = sampling;
  const { stop } = formatOf(prover ?? {}).prover;
  const isComplete = requests.some(({ form }) => form.isComplete !== undefined)
    ? { isComplete: (at: number, text: string) => requests[at]!.form.isComplete?.(text) ?? false }
    : {};
  const completions = await generator.sample(
    requests,
    { temperature, topP, maxTokens, ...(stop.length > 0 ? { stop } : {}) },
    { signal, onProgress: report, ...isComplete },
  );
  const raw = completions.map((completion, at): RawSample => {
    const { form, index, seed } = requests[at]!;
    const answer = form.read(completion.text, completion.finish);
    return { ...completion, ...taken(answer), statementId: completion.id, index, seed };
  });
  return { completions, raw };
}

/** What a sample's record says of the answer. */
function taken(answer: Answer): Pick<RawSample, 'text' | 'refused' | 'changedStatement'> {
  if (answer.kind === 'refused') return { text: '', refused: answer.refusal };
  return { text: answer.proof, ...(answer.changed ? { changedStatement: true as const } : {}) };
}
