/** Which verifiers of a run are open at once, with verifiers that do nothing. */
import { expect, it } from 'vitest';
import type { VerificationLimits } from '../../activities/ports.ts';
import type { GrownTheorem } from '../../lean/trust/kept-theorem.ts';
import type { Verifier } from '../../lean/verifier.ts';
import { RunVerifiers } from '../../workers/run-verifiers.ts';

const limits = (heartbeatsMax: number | null) => ({ heartbeatsMax }) as VerificationLimits;
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
  const verifiers = new RunVerifiers(async (run, { heartbeatsMax }, theorems) => {
    const name = `${run} ${heartbeatsMax} ${theorems.map((one) => one.name).join()}`;
    open.add(name);
    return { close: async () => void open.delete(name) } as unknown as Verifier;
  });
  const first = verifiers.get('a', limits(1_000), grown(1));
  await first;
  await verifiers.get('a', limits(null), grown(1));
  await verifiers.get('a', limits(1_000), []);
  await verifiers.get('b', limits(1_000), grown(1));
  expect(verifiers.get('a', limits(1_000), grown(1))).toBe(first);
  expect([...open]).toEqual(['a 1000 Grown.g1', 'a null Grown.g1', 'a 1000 ', 'b 1000 Grown.g1']);
  await verifiers.get('a', limits(1_000), grown(2));
  expect([...open]).toEqual(['a 1000 ', 'b 1000 Grown.g1', 'a 1000 Grown.g2']);
  await verifiers.letGo((run) => run === 'a');
  expect([...open]).toEqual(['b 1000 Grown.g1']);
});
