/**
 * Pairs of a right and a wrong target under one prompt, on which a verifier is trained (V-STaR, arXiv 2402.06457). Each
 * prompt gives as many right sides as wrong ones, and at most a few pairs, so that frequently tried prompts do not
 * dominate.
 */
import type { Preference } from '@stp/config';
import type { Random } from '../random.ts';

export interface Tried {
  readonly target: string;
  readonly isRight: boolean;
  /** The state that the target led to, if known. Among targets that lead to one state the first is kept. */
  readonly leadsTo: string | null;
}

/** The texts that were tried under one prompt. */
export interface TriedPrompt {
  readonly prompt: string;
  readonly tries: readonly Tried[];
}

export function pairsOf({ prompt, tries }: TriedPrompt, pairsMax: number, random: Random): Preference[] {
  const side = (isRight: boolean): string[] =>
    random.shuffle(distinct(tries.filter((tried) => tried.isRight === isRight)).map(({ target }) => target));
  const [right, wrong] = [side(true), side(false)];
  if (right.length === 0 || wrong.length === 0) return [];
  const pairs = Math.min(pairsMax, Math.max(right.length, wrong.length));
  return Array.from({ length: pairs }, (_, at) => ({
    prompt,
    chosen: right[at % right.length]!,
    rejected: wrong[at % wrong.length]!,
    weight: 1,
    role: 'prover',
  }));
}

/** Drops repeated tactics, and tactics that lead to the same state. */
function distinct(tries: readonly Tried[]): Tried[] {
  const [targets, states] = [new Set<string>(), new Set<string>()];
  return tries.filter(({ target, leadsTo }) => {
    if (targets.has(target) || (leadsTo !== null && states.has(leadsTo))) return false;
    targets.add(target);
    if (leadsTo !== null) states.add(leadsTo);
    return true;
  });
}
