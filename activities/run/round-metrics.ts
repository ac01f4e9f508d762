/** The figures of a round for the run's monitor, under the names that trackers know (`infra/monitor/tracked-metrics.ts`). */
import type { Metric } from '../../infra/monitor/monitor.ts';
import { costOfRun } from './cost.ts';
import type { RunState } from './run-state.ts';

/** Returns the metrics of the round after which the state was stored; none for a skipped round or before any round. */
export function roundMetrics(state: RunState): Metric[] {
  const round = state.nextRound - 1;
  const outcome = state.outcomes.find((done) => done.round === round);
  if (outcome === undefined) return [];
  const { counts, secondsPerStage } = outcome;
  const cost = costOfRun(state).lines.find(({ until }) => until === round);
  const heldOut = state.evaluations.find((evaluation) => evaluation.round === round);
  return metricsOfRound(round, {
    attempted: counts.attempted,
    proved: counts.provedThisRound,
    proved_ever: counts.provedEver,
    proved_share: counts.provedEver / Math.max(1, state.data.train.count),
    samples: counts.samples,
    distinct_samples: counts.distinctSamples,
    samples_proved: counts.verdicts.proved ?? 0,
    tokens: counts.tokens,
    certified: counts.certified,
    conjectures_made: counts.conjecturesMade,
    conjectures_attempted: counts.conjecturesAttempted,
    conjectures_proved: counts.conjecturesProved,
    conjectures_kept: counts.conjecturesKept,
    prover_examples: counts.proverExamples,
    held_out_proved: heldOut?.proved,
    seconds: Object.values(secondsPerStage).reduce((sum, seconds) => sum + seconds, 0),
    lean_seconds: counts.leanSeconds,
    judge_requests: counts.judged?.requests,
    judge_answers: counts.judged?.answers,
    judge_prompt_tokens: counts.judged?.promptTokens,
    judge_answer_tokens: counts.judged?.answerTokens,
    judge_cost: counts.judged?.cost ?? undefined,
    machine_hours: cost?.machineHours,
    usd: cost?.usd ?? undefined,
  });
}

export function metricsOfRound(round: number, values: Readonly<Record<string, number | undefined>>): Metric[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name: `round/${name}`, step: round, value }],
  );
}
