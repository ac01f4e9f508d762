/** Tests which verifiers of a run are open at once, and their heartbeats, with verifiers that do nothing. */

import type { GrownTheorem, Verifier } from '@stp/lean-verifier';
import { expect, it } from 'vitest';
import type { VerificationLimits } from '../../activities/ports.ts';
import { RunVerifiers } from '../../workers/run-verifiers.ts';

const limits = (processes: number, heartbeatsMax: number | null = 1_000) =>
  ({ processes, heartbeatsMax }) as VerificationLimits;
const grown = (generation: number): GrownTheorem[] => [
  {
    name: `Grown.g${generation}`,
    generation,
    header: null,
    statement: 'theorem a : 1 = 1',
    proof: 'rfl',
    marks: [],
  },
];

it('closes what a grown library has outgrown, and nothing that other limits or other runs still use', async () => {
  const open = new Set<string>();
  const verifiers = new RunVerifiers(async (run, { processes }, theorems) => {
    const name = `${run} ${processes} ${theorems.map((one) => one.name).join()}`;
    open.add(name);
    return { close: async () => void open.delete(name) } as unknown as Verifier;
  });
  await verifiers.get('a', limits(1), grown(1));
  await verifiers.get('a', limits(2), grown(1));
  await verifiers.get('a', limits(1), []);
  await verifiers.get('b', limits(1), grown(1));
  expect([...open]).toEqual(['a 1 Grown.g1', 'a 2 Grown.g1', 'a 1 ', 'b 1 Grown.g1']);
  await verifiers.get('a', limits(1), grown(2));
  expect([...open]).toEqual(['a 1 ', 'b 1 Grown.g1', 'a 1 Grown.g2']);
  await verifiers.release((run) => run === 'a');
  expect([...open]).toEqual(['b 1 Grown.g1']);
});

it('asks one verifier under the heartbeats of each request', async () => {
  let opened = 0;
  const asked: (number | null | undefined)[] = [];
  const verifiers = new RunVerifiers(async () => {
    opened += 1;
    const verifier: Partial<Verifier> = {
      check: async (_, options) => {
        asked.push(options?.heartbeatsMax);
        return [];
      },
      checkStatements: async (_, options) => {
        asked.push(options?.heartbeatsMax);
        return [];
      },
    };
    return verifier as Verifier;
  });
  for (const heartbeatsMax of [1_000, null, 1_000]) {
    const verifier = await verifiers.get('a', limits(1, heartbeatsMax), grown(1));
    await verifier.check([], { smallLimitsOnly: true });
    await verifier.checkStatements([]);
  }
  expect(opened).toBe(1);
  expect(asked).toEqual([1_000, 1_000, null, null, 1_000, 1_000]);
});
