/**
 * Pairs of a right and a wrong target under one prompt, from what was tried there: what a verifier is trained on (V-STaR, arXiv
 * 2402.06457). Every prompt has as many right sides as wrong ones, and no more pairs than a few, so that prompts that were tried often do
 * not drown the others.
 */
import type { Preference } from '@stp/config';
import type { Random } from '../random.ts';

export interface Tried {
  readonly target: string;
  readonly isRight: boolean;
  /** The state that it led to, if that is known: of the tries that lead to one state the first one stays. */
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

/** Drops repeats of a tactic or of a state that it leads to. */
function distinct(tries: readonly Tried[]): Tried[] {
  const [targets, states] = [new Set<string>(), new Set<string>()];
  return tries.filter(({ target, leadsTo }) => {
    if (targets.has(target) || (leadsTo !== null && states.has(leadsTo))) return false;
    targets.add(target);
    if (leadsTo !== null) states.add(leadsTo);
    return true;
  });
}
