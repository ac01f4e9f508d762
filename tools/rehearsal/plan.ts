/** Plans the faults of a rehearsal, with targets and times, from a seed, so that they can be repeated. */
import { randomStream } from '@stp/selfplay';

/** Least and greatest duration of faults with a random duration, seconds. */
const LASTS = {
  'node killed': [5, 40],
  'node cut off': [60, 60],
  'node slow': [30, 60],
  'worker killed': [1, 20],
  'worker killed in an upload': [1, 20],
  'disk full': [20, 70],
  'clock apart': [5, 20],
  'control worker killed': [1, 15],
  'Temporal restarted': [1, 15],
  'PostgreSQL restarted': [1, 15],
  'bucket unwell': [15, 40],
  'Lean service killed': [1, 20],
  'Lean eats memory': [10, 30],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
export type FaultKind = keyof typeof LASTS;
export const FAULT_KINDS = Object.keys(LASTS) as readonly FaultKind[];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** Number of the worker node, from 0, for faults of a node. */
  readonly worker: number;
  /** Time since the previous fault, as a share of the mean. */
  readonly pause: number;
  readonly lastsSeconds: number;
  /** For clocks: ahead or behind. */
  readonly sign: 1 | -1;
}

/** Includes every kind at least once if `count` allows, in random order. */
export function planFaults(seed: number, count: number, workers: number): readonly PlannedFault[] {
  const random = randomStream('rehearsal', seed);
  const more = Array.from(
    { length: Math.max(0, count - FAULT_KINDS.length) },
    () => FAULT_KINDS[random.below(FAULT_KINDS.length)]!,
  );
  const kinds = random.shuffle([...random.shuffle(FAULT_KINDS).slice(0, count), ...more]);
  return kinds.map((kind) => {
    const [least, most] = LASTS[kind];
    return {
      kind,
      worker: random.below(workers),
      pause: 0.5 + random.next(),
      lastsSeconds: least + random.below(most - least + 1),
      sign: random.below(2) === 0 ? 1 : -1,
    };
  });
}
