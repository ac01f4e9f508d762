/**
 * How many samples a statement still needs. All its samples are drawn unless the statement turns out so easy that none
 * of this round's training sets takes it, for any results of the remaining samples; then the rest is not drawn.
 *
 * Effect on estimates: the pass rate over all samples of a round is only compared with thresholds. For a stopped
 * statement it is certain on which side of every threshold that rate lies (the same as if every sample had been drawn).
 * The recorded rate is over the drawn samples, and tends to be higher. So no band changes, and this round's training
 * examples are exactly the same. But a stopped statement has fewer distinct proofs and a smaller tally:
 * - a retraining that takes easy dataset statements too (`retrain.datasetBandMax` null) finds fewer proofs of them;
 * - a later round adds the smaller tally to its replay window;
 * - the proofs and lemmas that seed conjectures are chosen among fewer;
 * - the shortest proof, which enters a grown library and the run's file of proofs, is the shortest of fewer.
 * A statement that is in a band, or may still enter one, is never stopped: its proofs train the prover, and stopping
 * would reduce them. A conjecture is never stopped either when its pass rate itself is the reward.
 */
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { Tally } from './rates.ts';

/** What must hold of a rate for nothing to train on it: above `rate`, or at least `rate`. */
interface Bar {
  readonly rate: number;
  readonly inclusive: boolean;
}

/** Bars on the rate of the round alone. */
function roundBars(origin: 'dataset' | 'conjecture', config: RunConfig): Bar[] {
  const { conjectures, selection, retrain } = config;
  const bars: Bar[] = [
    // A seed's rate is above its threshold, a statement that is not attempted again at least at its own.
    { rate: conjectures.seedPassRateAbove, inclusive: false },
    { rate: selection.reattemptPassRateBelow, inclusive: true },
  ];
  if (origin === 'conjecture') {
    // Out of a band is above an inclusive bound, and at or above an exclusive one.
    bars.push({ rate: conjectures.bandMax, inclusive: !conjectures.bandInclusive });
    bars.push({ rate: retrain.conjectureBandMax, inclusive: false });
  } else if (retrain.datasetBandMax !== null) bars.push({ rate: retrain.datasetBandMax, inclusive: false });
  return bars;
}

/** Least number of successes with which `successes / attempts` clears the bar. */
function successesToClear(bar: Bar, attempts: number): number {
  const clears = (successes: number): boolean => {
    const rate = successes / attempts;
    return bar.inclusive ? rate >= bar.rate : rate > bar.rate;
  };
  let successes = Math.max(0, Math.floor(bar.rate * attempts) - 1);
  while (!clears(successes)) successes++;
  return successes;
}

/**
 * Successes after which a statement gets no more samples: with so many its rate clears every bar even if all others fail.
 * (A sample without a verdict counts in neither number and only raises the rate.) Null: it is never stopped early.
 *
 * @param samples samples that it gets in this round at most
 * @param earlier its tally over the other rounds of the replay window, which the prover's band counts as well
 */
export function enoughSuccesses(
  origin: 'dataset' | 'conjecture',
  samples: number,
  earlier: Tally | null,
  config: RunConfig,
): number | null {
  if (config.sampling.waves === 1) return null;
  if (origin === 'conjecture' && config.conjectures.reward === 'solve-rate') return null;
  const { proverBandMax, proverBandInclusive } = config.selection;
  const proverBar = { rate: proverBandMax, inclusive: !proverBandInclusive };
  const before = earlier ?? { attempts: 0, successes: 0 };
  const needed = Math.max(
    1,
    ...roundBars(origin, config).map((bar) => successesToClear(bar, samples)),
    successesToClear(proverBar, samples + before.attempts) - before.successes,
  );
  return needed < samples ? needed : null;
}

/** What the waves of a statement depend on (`WorkItem`). */
interface Planned {
  readonly samples: number;
  readonly enough?: number | undefined;
}

/**
 * The samples of a wave, as indexes [first, first + count). The first wave is the least that can be enough, so that a
 * statement whose every sample succeeds stops there; nothing could be decided sooner. The rest comes in equal parts: each
 * may be the one that brings the last success needed. A statement that is never stopped draws all at once.
 *
 * @param wave from 0
 */
export function waveSamples(item: Planned, wave: number, waves: number): { first: number; count: number } {
  const opening = item.enough ?? item.samples;
  const end = (after: number): number =>
    after === 0 || waves === 1 ? opening : opening + Math.ceil(((item.samples - opening) * after) / (waves - 1));
  const first = wave === 0 ? 0 : end(wave - 1);
  return { first, count: end(wave) - first };
}

/** Does a statement get more samples after `wave`, having succeeded so often by then? */
export function goesOn(item: Planned, successes: number, wave: number, waves: number): boolean {
  if (item.enough === undefined || successes >= item.enough) return false;
  const { first, count } = waveSamples(item, wave, waves);
  return first + count < item.samples;
}
