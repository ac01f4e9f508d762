/**
 * Combines the scores of an ensemble of learned verifiers for tactics under a prompt. Searches order states by these
 * scores, and walks keep them for the flow's rewards.
 */
import type { VerifierConfig } from '@stp/config';
import { combined } from '@stp/selfplay';
import type { RunEnsemble } from '../ports.ts';

export interface VerifierScores {
  /**
   * Returns a score for each tactic, in order. A tactic that is too long for the verifiers gets the worst score of its
   * neighbours.
   */
  of(prompt: string, tactics: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Null if the configuration names no verifier. The caller closes the scores. */
export async function openVerifierScores(
  ports: RunEnsemble,
  run: string,
  { verifier, verifierWeight, verifierBy, verifierCaution }: VerifierConfig,
  threads: number,
  signal: AbortSignal,
): Promise<VerifierScores | null> {
  if (verifier === null) return null;
  const ensemble = await ports.ensemble(run, verifier, threads);
  const combination = { by: verifierBy, caution: verifierCaution };
  return {
    async of(prompt, tactics) {
      const targets = tactics.map((target) => ({ prompt, target }));
      const scores = (await ensemble.rewards(targets, signal)).map((own) =>
        own === null ? null : combined(own, combination),
      );
      const worst = Math.min(0, ...scores.filter((score) => score !== null));
      return scores.map((score) => verifierWeight * (score ?? worst));
    },
    close: () => ensemble.close(),
  };
}
