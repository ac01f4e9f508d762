/**
 * Chooses the proved statements that seed conjectures, with their lemmas, and the statements that a round attempts
 * (docs/algorithm.md, sections 3 and 5).
 */
import type { Conjecturing, RunConfig, SeedConfig } from '@stp/config';
import type { Proved } from '@stp/config/records';
import { displayProof } from './prompts.ts';
import { orderKey, type Random } from './random.ts';

/** Returns how many conjectures a round may attempt: a fixed number, or one for every statement or every unproved one. */
export function conjecturesMax(perRoundMax: Conjecturing['perRoundMax'], statements: number, unproved: number): number {
  if (perRoundMax === 'statements') return statements;
  return perRoundMax === 'unproved' ? unproved : perRoundMax;
}

/** A statement that seeds conjectures. */
export interface Seed {
  /** Its proof if no lemma is requested. */
  readonly proof: Proved;
  /** Every lemma that one of its proofs used, sorted, each with one of those proofs. */
  readonly lemmas: readonly { readonly name: string; readonly proof: Proved }[];
}

interface Keyed {
  readonly key: string;
  readonly proof: Proved;
}

/**
 * Chooses the proofs that may seed conjectures from a stream: one for every statement, and one for each lemma that its
 * proofs used. (STP has a seed for each pair of statement and lemma.)
 */
export class SeedProofs {
  readonly #kept = new Map<string, { any: Keyed; readonly byLemma: Map<string, Keyed> }>();
  readonly #best: ReadonlyMap<string, number>;
  readonly #config: Pick<SeedConfig, 'seedPassRateAbove'>;
  readonly #isLemma: (name: string) => boolean;
  readonly #stream: readonly (string | number)[];

  /**
   * @param best best pass rate of any round by statement; only a rate strictly above `seedPassRateAbove` seeds
   * @param isLemma is a premise one that a conjecture may be asked to share?
   * @param stream names the random choice, together with each proof
   */
  constructor(
    best: ReadonlyMap<string, number>,
    config: Pick<SeedConfig, 'seedPassRateAbove'>,
    isLemma: (name: string) => boolean,
    ...stream: readonly (string | number)[]
  ) {
    this.#best = best;
    this.#config = config;
    this.#isLemma = isLemma;
    this.#stream = stream;
  }

  /**
   * Considers one certified proof. Conjectures seed no conjectures. The candidate with the smallest random key is kept,
   * so every distinct text has the same chance, in any order of arrival.
   */
  offer(proof: Proved): void {
    if (proof.origin === 'conjecture') return;
    if ((this.#best.get(proof.statementId) ?? 0) <= this.#config.seedPassRateAbove) return;
    const one = { key: orderKey(...this.#stream, proof.statementId, displayProof(proof.proof)), proof };
    const seen = this.#kept.get(proof.statementId) ?? { any: one, byLemma: new Map<string, Keyed>() };
    this.#kept.set(proof.statementId, seen);
    if (one.key < seen.any.key) seen.any = one;
    for (const name of proof.premises) {
      if (!this.#isLemma(name)) continue;
      const other = seen.byLemma.get(name);
      if (other === undefined || one.key < other.key) seen.byLemma.set(name, one);
    }
  }

  /** Returns the chosen statements in random order. */
  chosen(): Seed[] {
    return [...this.#kept.values()]
      .sort((a, b) => (a.any.key < b.any.key ? -1 : 1))
      .map(({ any, byLemma }) => ({
        proof: any.proof,
        lemmas: [...byLemma].map(([name, { proof }]) => ({ name, proof })).sort((a, b) => (a.name < b.name ? -1 : 1)),
      }));
  }
}

export interface ConjectureInput {
  readonly seed: Proved;
  /** Fully qualified name of the premise to share, or null. */
  readonly lemma: string | null;
}

/**
 * Pairs each seed with every lemma that its proofs used and, with `noLemmaProbability`, with none. A lemma, or none, gets at
 * most `lemmaShareMax × statements` pairs, counted before any repetition.
 *
 * @param seeds statements in random order
 */
export function conjectureInputs(
  seeds: readonly Seed[],
  statementCount: number,
  config: Pick<SeedConfig, 'noLemmaProbability' | 'lemmaShareMax'>,
  random: Random,
): ConjectureInput[] {
  const lemmaMax = Math.max(1, Math.floor(config.lemmaShareMax * statementCount));
  const uses = new Map<string | null, number>();
  const inputs: ConjectureInput[] = [];
  for (const seed of seeds) {
    const pairs: ConjectureInput[] = seed.lemmas.map(({ name, proof }) => ({ seed: proof, lemma: name }));
    if (random.next() < config.noLemmaProbability) pairs.push({ seed: seed.proof, lemma: null });
    for (const pair of pairs) {
      const { lemma } = pair;
      const used = uses.get(lemma) ?? 0;
      if (used >= lemmaMax) continue;
      uses.set(lemma, used + 1);
      inputs.push(pair);
    }
  }
  return inputs;
}

/**
 * Makes the list of inputs to sample. Each input occurs as often as its matching weight says. The list is cut to the
 * number of statements, and repeated at most `copiesMax` times until it has about `wanted` entries.
 *
 * @param wanted number of texts to ask for; never exceeded
 */
export function repeatInputs<T>(
  inputs: readonly T[],
  weightOf: (input: T) => number,
  statementCount: number,
  wanted: number,
  copiesMax: number,
  random: Random,
): T[] {
  const listMax = Math.min(statementCount, wanted);
  const weighted: T[] = [];
  for (const input of random.shuffle(inputs)) {
    // A weight may be in the hundreds; the list's length limits the copies.
    const repeats = Math.min(Math.max(1, Math.round(weightOf(input))), listMax);
    for (let copy = 0; copy < repeats; copy++) weighted.push(input);
  }
  const list = random.shuffle(weighted).slice(0, listMax);
  if (list.length === 0) return [];
  const copies = Math.max(1, Math.min(copiesMax, Math.floor(wanted / list.length)));
  return Array.from({ length: copies }, () => random.shuffle(list)).flat();
}

/**
 * Is a dataset statement attempted in a round? True for unproved statements, those proved at a low rate, and a few
 * others.
 *
 * @param best its best pass rate over rounds; undefined: never proved
 * @param coin uniform in [0, 1)
 */
export function isAttempted(best: number | undefined, config: RunConfig['selection'], coin: number): boolean {
  return best === undefined || best < config.reattemptPassRateBelow || coin < config.reattemptProbability;
}
