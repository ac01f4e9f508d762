/** Equations found by exploration, over modules that real Lean compiled; Lean says whether they are well formed. Half a minute of a core. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../data/config/resolve.ts';
import type { Statement } from '../../data/schemas/records.ts';
import { type AssembledPorts, assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'stp-explore-test-'));
const cache = join(folder, 'cache');
const { verification: limits } = resolveConfig({ preset: 'smoke', set: {}, flags: {} });
const { signal } = new AbortController();
let ports: AssembledPorts;
let problems: readonly Statement[];
beforeAll(async () => {
  const settings = {
    ...workerSettings(),
    storeUri: pathToFileURL(folder).href,
    scratchDirectory: join(folder, 'scratch'),
  };
  // What was explored before is not known here.
  ports = await assemblePorts({ ...settings, cacheDirectory: cache }, await leanEnvironment(settings, () => {}));
  problems = await Array.fromAsync(ports.sources.problemSet('isaplanner'));
}, 280_000);
afterAll(async () => {
  await ports?.close();
  rmSync(folder, { recursive: true, force: true });
});

const explore = (statements: readonly { header: string | null; statement: string }[], seed = 1) =>
  ports.explore('explore', statements, { ...limits, seed, random: false }, signal);
const named = (name: string): Statement => problems.find((one) => one.name.endsWith(name))!;

describe('exploration', () => {
  test('finds what functions near a statement satisfy, most general first, all of it well formed', async () => {
    const near = ['prop_01', 'prop_85', 'prop_58', 'prop_02', 'prop_77'].map(named);
    const found = await explore(near);
    expect(found[0]!.equations).toContain(
      '{α : Type} (xs : List α) (ys : List α) (zs : List α) : append (append xs ys) zs = append xs (append ys zs)',
    );
    expect(found[0]!.equations.join('\n')).not.toContain('append (append xs xs)');
    expect(found[1]!.equations).toContain('{α : Type} (xs : List α) : rev (rev xs) = xs');
    // What is found at one type of elements, or of numbers only, is said of any.
    expect(found[2]!.equations).toContain('{α β : Type} (xs : List α) : zip xs ([] : List β) = []');
    expect(found[3]!.equations).toContain('{α : Type} (xs : List α) : append xs ([] : List α) = xs');
    expect(found[3]!.equations.join('\n')).toContain(
      '(n : Nat) (xs : List Nat) (ys : List Nat) : count n (append xs ys) =',
    );
    // What holds of every order, but of no single pair of tests, is found under a condition.
    expect(found[4]!.equations).toContain('(n : Nat) (m : Nat) : leq n m = false → leq m n = true');
    const statements = found.flatMap(({ equations }, place) =>
      equations.map((equation, index) => ({
        id: `${place} ${index}`,
        header: near[place]!.header,
        statement: `theorem explored ${equation}`,
      })),
    );
    expect(statements.length).toBeGreaterThan(20);
    const verifier = await ports.verifier('explore', limits);
    const read = await verifier.checkStatements(statements, { signal });
    expect(read.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });

  test('gives the same equations again, and no equation that a test value refutes', async () => {
    const one = await explore([named('prop_15')]);
    expect(await explore([named('prop_15')])).toEqual(one);
    rmSync(join(cache, 'remembered'), { recursive: true });
    expect(await explore([named('prop_15')])).toEqual(one);
    // `ins` sorts by its argument, so that order does not matter; `len` counts one more.
    expect(one[0]!.equations.join('\n')).toContain('ins n (ins m xs) = ins m (ins n xs)');
    expect(one[0]!.equations.join('\n')).not.toContain('len (ins n xs) = len xs\n');
  });

  test('finds no equation that holds only where variables happen to be near each other', async () => {
    const [found] = await explore([named('prop_57')]);
    expect(found!.equations).toContain(
      '{α : Type} (n : Nat) (m : Nat) (xs : List α) : take n (take m xs) = take m (take n xs)',
    );
    // Both fail for n = 0, m = 2 and a list of three; with some other variables in their places forty tests let them pass.
    const false_ = ['drop (n + 1) (take m xs) = []', 'drop n (take m (drop m xs)) = []'];
    for (const equation of false_) expect(found!.equations.filter((one) => one.endsWith(`: ${equation}`))).toEqual([]);
    expect(found!.equations.length).toBeLessThan(100);
  });

  test('finds no condition that says nothing', async () => {
    const [found] = await explore([named('prop_86')]);
    const conditional = found!.equations.filter((one) => one.includes('→'));
    expect(conditional).toContain('(n : Nat) (m : Nat) : lt n m = true → equal n m = false');
    expect(conditional.length).toBeLessThanOrEqual(24);
    // Of lists, `elem n xs = false` says nothing of its members' order.
    expect(conditional.filter((one) => one.includes('elem n xs = false → lt'))).toEqual([]);
    const holds = (condition: boolean, n: number, m: number): boolean => n < m === condition;
    for (const text of conditional) {
      const [, condition, f, a, b, value] =
        /^\(n : Nat\) \(m : Nat\) : lt n m = (true|false) → (lt|equal) (n|m) (n|m) = (true|false)$/u.exec(text) ?? [];
      if (condition === undefined) continue;
      for (const [n, m] of [0, 1, 2, 3].flatMap((x) => [0, 1, 2, 3].map((y): [number, number] => [x, y]))) {
        const [left, right] = [a, b].map((name) => (name === 'n' ? n : m)) as [number, number];
        if (holds(condition === 'true', n, m))
          expect(f === 'lt' ? left < right : left === right, text).toBe(value === 'true');
      }
    }
  });

  test('keeps what a proof of commutativity needs', async () => {
    const [found] = await explore([named('prop_54')]);
    expect(found!.equations).toContain('(n : Nat) (m : Nat) : plus n m = plus m n');
    expect(found!.equations).toContain('(n : Nat) : plus n 0 = n');
  });

  test('says why there is nothing to combine', async () => {
    const [found] = await explore([{ header: null, statement: 'theorem plain (n : Nat) : n = n' }]);
    expect(found).toMatchObject({ equations: [], reason: 'no function near it has a first-order type' });
  });

  test('says what Lean says of a statement that cannot be read', async () => {
    const [found] = await explore([{ header: null, statement: 'theorem broken (n : Nat) : n = nothing' }]);
    expect(found!.equations).toEqual([]);
    expect(found!.reason).toContain('Lean cannot read it');
  });
});
