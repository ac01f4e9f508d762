/**
 * Runs in a world with faults, by seed: nothing is paid for after its run, nothing is lost, nothing is done twice. 150
 * seeds here (some 5 s); STP_SIMULATION_SEEDS=2000 plays more, STP_SIMULATION_FIRST=N begins elsewhere.
 */
import { describe, expect, it } from 'vitest';
import { type Played, playRun } from './run-world.ts';

const SEEDS = Number(process.env.STP_SIMULATION_SEEDS ?? 150);
const FIRST = Number(process.env.STP_SIMULATION_FIRST ?? 1);

describe('a run on machines of a cloud', () => {
  it(
    `keeps its promises in ${SEEDS} worlds from seed ${FIRST} on`,
    async () => {
      const played: Played[] = [];
      const broken: string[] = [];
      for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1)
        try {
          played.push(await playRun(seed));
        } catch (error) {
          broken.push(
            `seed ${seed}: ${(error as Error).message}\nagain: STP_SIMULATION_FIRST=${seed} STP_SIMULATION_SEEDS=1 vitest run test/simulation`,
          );
          if (broken.length >= 3) break;
        }
      expect(broken.join('\n\n')).toBe('');
      const outcomes = Object.entries(Object.groupBy(played, ({ outcome }) => outcome)).map(
        ([outcome, all]) => `${outcome} ${all!.length}`,
      );
      const sum = (pick: (one: Played) => number): number => played.reduce((total, one) => total + pick(one), 0);
      console.log(
        `${outcomes.join(', ')}; ${sum(({ preemptions }) => preemptions)} taken away, ${sum(({ generations }) => generations)} sets, ` +
          `${sum(({ roundsDone }) => roundsDone)} rounds, ${Math.round(sum(({ virtualHours }) => virtualHours))} hours`,
      );
      // The worlds are not all of one kind: every way to end is met, and most runs come to their end.
      const count = (outcome: string): number => played.filter((one) => one.outcome === outcome).length;
      if (SEEDS < 100) return;
      expect(count('done')).toBeGreaterThan(SEEDS / 5);
      for (const outcome of ['Cancelled', 'terminated', 'STP1602', 'STP1606'])
        expect(count(outcome)).toBeGreaterThan(0);
      expect(sum(({ preemptions }) => preemptions)).toBeGreaterThan(SEEDS / 10);
    },
    60_000 + SEEDS * 1_000,
  );
});
