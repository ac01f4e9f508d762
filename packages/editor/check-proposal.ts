/** Runs a proposal on the goals at a position, and describes the result. */
import type { Goal, PositionResult, PositionState, StepOptions } from '@stp/lean-explore';
import type { Proposal } from './engines/engine.ts';
import { retried } from './lean-positions.ts';
import { refusedWord } from './own-words.ts';
import type { Suggestion } from './suggestion.ts';

export const REASON_CHARS_MAX = 400;

export interface SourcedProposal {
  readonly proposal: Pick<Proposal, 'text' | 'score'>;
  readonly source: string;
}

export interface Checked {
  readonly suggestion: Suggestion;
  readonly cpuMs: number;
  /** A time limit ended it. */
  readonly isLate: boolean;
}

export interface OpenGoals {
  readonly state: PositionState;
  /** Goals of the request that are not part of the state. */
  readonly others: readonly string[];
  /** Why each of these words is refused (`own-words.ts`). */
  readonly words: ReadonlyMap<string, string>;
}

export interface CheckLimits {
  /** Lean's processor time limit, ms. The wall-time limit is ten times that. */
  readonly stepMs: number;
  /** A smaller limit of both times, ms. */
  readonly deadlineMs?: number;
  /** Ends the process at once, and the check rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** Must be called while the position's process is reserved. */
export async function checkProposal(
  { proposal: { text, score }, source }: SourcedProposal,
  { state, others, words }: OpenGoals,
  { stepMs, deadlineMs = stepMs, signal }: CheckLimits,
): Promise<Checked> {
  const common = { text, goals: [], score, source, ms: 0, checked: true };
  const refused = refusedWord(text, words);
  if (refused !== null)
    return { suggestion: { ...common, class: 'forbidden', reason: refused }, cpuMs: 0, isLate: false };
  const began = performance.now();
  const limits: StepOptions = {
    deadlineMs,
    ...(deadlineMs < stepMs ? { wallMs: deadlineMs } : {}),
    ...(signal === undefined ? {} : { signal }),
  };
  const result = await retried(() => state.run(text, limits));
  const ms = Math.round(performance.now() - began);
  const { cpuMs } = result;
  if (result.kind === 'invalid')
    return { suggestion: { ...common, ...refusal(result), ms }, cpuMs, isLate: result.why === 'timeout' };
  const goals = [...goalTexts(result.state.goals), ...others];
  return {
    suggestion: { ...common, class: goals.length === 0 ? 'done' : 'valid', goals, ms, reason: null },
    cpuMs,
    isLate: false,
  };
}

export const goalTexts = (goals: readonly Goal[]): string[] => goals.map(({ text }) => text);

export function refusal({ why, messages }: Extract<PositionResult, { kind: 'invalid' }>): {
  class: 'invalid' | 'forbidden';
  reason: string;
} {
  const text = (messages.find(({ severity }) => severity === 'error') ?? messages[0])?.text ?? why;
  const reason = (why === 'timeout' ? `time limit: ${text}` : text).slice(0, REASON_CHARS_MAX);
  return { class: why === 'forbidden' || why === 'sorry' ? 'forbidden' : 'invalid', reason };
}
