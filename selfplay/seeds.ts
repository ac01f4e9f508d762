/** Which proved statements seed conjectures, with which lemmas (STP §2.2), and what a round attempts (STP §2.4). */
import type { Proved, Statement } from '../data/schemas/records.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { Random } from './random.ts';

/** Conjectures a round may attempt: a fixed number, or one for every statement or every unproved one (stp.md §9). */
export function conjecturesMax(
  perRoundMax: RunConfig['conjectures']['perRoundMax'],
  statements: number,
  unproved: number,
): number {
  if (perRoundMax === 'statements') return statements;
  return perRoundMax === 'unproved' ? unproved : perRoundMax;
}

export interface ConjectureInput {
  readonly seed: Proved;
  /** Fully qualified name of the premise to share, or null. */
  readonly lemma: string | null;
}

/**
 * Inputs of the conjecturer: dataset statements whose best pass rate is above `seedPassRateAbove` (strictly; golden
 * behaviour 4), one proof each, with each lemma that the proof used and, with `noLemmaProbability`, with none. A lemma
 * is used at most `lemmaShareMax × statements` times, counted before repetition (behaviour 5). Where there are fewer
 * inputs than `wanted`, each is repeated up to `copiesMax` times.
 *
 * @param proved certified proofs of earlier rounds, newest first
 */
export function conjectureInputs(
  proved: readonly Proved[],
  best: ReadonlyMap<string, number>,
  isLemma: (name: string) => boolean,
  statementCount: number,
  wanted: number,
  config: RunConfig['conjectures'],
  random: Random,
): ConjectureInput[] {
  const seeds = new Map<string, Proved>();
  for (const proof of random.shuffle(proved))
    if (
      proof.origin === 'dataset' &&
      (best.get(proof.statementId) ?? 0) > config.seedPassRateAbove &&
      !seeds.has(proof.statementId)
    )
      seeds.set(proof.statementId, proof);
  const lemmaMax = Math.max(1, Math.floor(config.lemmaShareMax * statementCount));
  const uses = new Map<string, number>();
  const inputs: ConjectureInput[] = [];
  for (const seed of seeds.values()) {
    const lemmas: (string | null)[] = seed.premises.filter(isLemma);
    if (lemmas.length === 0 || random.next() < config.noLemmaProbability) lemmas.push(null);
    for (const lemma of lemmas) {
      const used = uses.get(lemma ?? '') ?? 0;
      // A seed without premises can only go without a lemma; the cap must not shut it out.
      if (used >= lemmaMax && !(lemma === null && lemmas.length === 1)) continue;
      uses.set(lemma ?? '', used + 1);
      inputs.push({ seed, lemma });
    }
  }
  if (inputs.length === 0) return [];
  const copies = Math.max(1, Math.min(config.copiesMax, Math.ceil(wanted / inputs.length)));
  const repeated = Array.from({ length: copies }, () => random.shuffle(inputs)).flat();
  return repeated.slice(0, wanted);
}

/** Unproved statements, proved ones at a low rate, and a few of the others. Order is the given one. */
export function statementsToAttempt(
  statements: readonly Statement[],
  best: ReadonlyMap<string, number>,
  config: RunConfig['selection'],
  random: Random,
): Statement[] {
  return statements.filter((statement) => {
    const coin = random.next();
    const rate = best.get(statement.id);
    return rate === undefined || rate < config.reattemptPassRateBelow || coin < config.reattemptProbability;
  });
}
