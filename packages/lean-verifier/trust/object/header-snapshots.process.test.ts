/** What is kept between judgements changes no object and no verdict: snapshots of imports, and compiled statements. Half a minute of a core. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { claimOf } from '../../testing/claim.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { COMMUTES, candidate, kindsOf, open, scratchDirectory } from '../../testing/opened-verifier.ts';
import { compileModule } from './compiled-module.ts';
import { HeaderSnapshots } from './header-snapshots.ts';
import { StatedModules } from './stated-modules.ts';

const environment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
const folder = scratchFolder();
const place = { environment, workingDirectory: folder, ...(sandbox === null ? {} : { sandbox }) };
const memoryBytesMax = 3_000_000_000;
const bounds = { place, memoryBytesMax, signal: new AbortController().signal };
const snapshots = new HeaderSnapshots(folder);
afterAll(async () => {
  await snapshots.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each with what its imports bring: notation, instances, simp lemmas, attributes, tactics. */
const TEXTS: Readonly<Record<string, readonly [imports: readonly string[], body: string]>> = {
  'proofs by many tactics': [
    ['import Init'],
    `theorem a (x y : Nat) (h : x < y) : ¬ y ≤ x := by omega
theorem b (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length := by simp [Nat.add_comm]
theorem c (n : Nat) : n * 0 = 0 := by induction n with | zero => rfl | succ n ih => grind
theorem d (p q : Prop) : p ∧ q → q ∧ p := fun ⟨hp, hq⟩ => ⟨hq, hp⟩
theorem e : (3 : Int) - 5 = -2 := by decide`,
  ],
  'definitions, instances, notation and recursion': [
    ['import Init'],
    `open Nat in
def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1
structure Point where
  x : Nat
  y : Nat
instance : Add Point := ⟨fun p q => ⟨p.x + q.x, p.y + q.y⟩⟩
@[simp] theorem add_x (p q : Point) : (p + q).x = p.x + q.x := rfl
theorem halves (n : Nat) : half (n + 2) = half n + 1 := by rw [half]; simp`,
  ],
  'a prelude': [['prelude', 'import Init.Prelude', 'import Init.Tactics'], 'theorem a : @Eq Nat 1 1 := by rfl'],
  'no import of its own': [[], 'theorem a (n : Nat) : n = n := rfl'],
};

async function compiled(name: string, text: string, snapshot: Awaited<ReturnType<HeaderSnapshots['of']>>) {
  const directory = join(folder, name);
  const done = await compileModule({
    ...{ place, memoryBytesMax, module: 'Same', text, directory, deadlineMs: 120_000, snapshot },
  });
  return { ...done, bytes: done.path === null ? null : readFileSync(done.path) };
}

describe.each(Object.entries(TEXTS))('%s', (_, [imports, body]) => {
  it('compile to the same bytes with a snapshot and without', async () => {
    const text = `${imports.join('\n')}\n${body}\n`;
    await snapshots.of(imports, bounds);
    const snapshot = await snapshots.of(imports, bounds);
    expect(existsSync(snapshot!.path)).toBe(true);
    const plain = await compiled('plain', text, null);
    const loaded = await compiled('loaded', text, snapshot);
    expect([plain.failure, plain.messages.filter(({ severity }) => severity === 'error')]).toEqual(['', []]);
    expect(loaded.bytes!.equals(plain.bytes!)).toBe(true);
    const wrong = `${text}\ntheorem wrong : 1 = 2 := by\n  rfl\n`;
    const [one, other] = [await compiled('plain', wrong, null), await compiled('loaded', wrong, snapshot)];
    expect(other.messages).toEqual(one.messages);
    expect([one.path, other.path]).toEqual([null, null]);
  });
});

it('is not made for imports that Lean does not have, and a text of other imports is compiled as ever', async () => {
  await snapshots.of(['import Nowhere'], bounds);
  expect(await snapshots.of(['import Nowhere'], bounds)).toBeNull();
  await snapshots.of(['import Init.Data.List.Basic'], bounds);
  const other = await snapshots.of(['import Init.Data.List.Basic'], bounds);
  const text = 'import Init\ntheorem a (x y : Nat) (h : x < y) : ¬ y ≤ x := by omega\n';
  const [plain, loaded] = [await compiled('plain', text, null), await compiled('loaded', text, other)];
  expect(loaded.bytes!.equals(plain.bytes!)).toBe(true);
});

it('keeps few, and leaves none', async () => {
  const some = new HeaderSnapshots(folder);
  const before = readdirSync(folder).filter((name) => name.startsWith('snapshot-')).length;
  for (const name of ['Data.Nat.Basic', 'Data.List.Basic', 'Data.Int.Basic', 'Omega', 'Tactics'].map(
    (one) => `import Init.${one}`,
  ))
    expect([await some.of([name], bounds), await some.of([name], bounds)]).toEqual([null, expect.anything()]);
  await some.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('snapshot-'))).toHaveLength(before);
});

it('a damaged snapshot changes no verdict', async () => {
  const verifier = await open({ ...(sandbox === null ? {} : { sandbox }) });
  const claims = [candidate('good', '  omega'), candidate('bad', '  exact Nat.add_comm b a')];
  const asked = claims.map((one) => ({ ...one, header: 'import Init' }));
  const verdicts = async (statement: string) =>
    kindsOf(await verifier.check(asked.map((one) => ({ ...one, statement }))));
  const expected = { good: 'proved', bad: 'rejected' };
  expect(await verdicts(COMMUTES)).toEqual(expected);
  expect(await verdicts('theorem t (a b : Nat) : a + b + 0 = b + a')).toMatchObject({ good: 'proved' });
  for (const damage of ['nonsense', null]) {
    // It is dropped when Lean cannot read it; the first use after that is without, and the second makes it anew.
    const made = readdirSync(scratchDirectory).filter((name) => name.startsWith('snapshot-'));
    expect(made).toHaveLength(1);
    const own = join(scratchDirectory, made[0]!);
    if (damage === null) rmSync(own, { recursive: true });
    else writeFileSync(join(own, 'header'), damage);
    for (let use = 0; use < 3; use++) expect(await verdicts(COMMUTES)).toEqual(expected);
    expect(readdirSync(scratchDirectory)).not.toContain(made[0]);
  }
}, 180_000);

it('a kept statement is compiled once, and is what its text, its header and its name say', async () => {
  const kept = new StatedModules();
  const task = {
    place,
    memoryBytesMax,
    importLines: ['import Init'],
    opening: [''],
    writtenUnder: '',
    indexFolder: null,
  };
  const theorem = claimOf(' (n : Nat) : n + 0 = n', '');
  const first = await kept.compile([theorem], { ...task, directory: join(folder, 'one') });
  const bytes = readFileSync(first.path!);
  // Nothing that happens to the file afterwards matters.
  writeFileSync(first.path!, 'forged');
  const again = await kept.compile([theorem], { ...task, directory: join(folder, 'two') });
  expect(readFileSync(again.path!).equals(bytes)).toBe(true);
  expect(existsSync(join(folder, 'two', 'Stated'))).toBe(false);
  for (const [more, stated] of [
    [{}, claimOf(' (n : Nat) : n + 1 = n', '')],
    [{}, { ...theorem, namespace: 'Nat' }],
    [{}, { ...theorem, statement: 'theorem other (n : Nat) : n + 0 = n' }],
    [{ writtenUnder: 'open Nat' }, theorem],
    [{ opening: ['open Nat'] }, theorem],
    [{ importLines: ['import Init.Prelude'] }, theorem],
  ] as const) {
    const other = join(folder, 'other');
    await kept.compile([stated], { ...task, ...more, directory: other });
    expect(existsSync(join(other, 'Stated'))).toBe(true);
    rmSync(other, { recursive: true });
  }
  const wrong = claimOf(' : nowhere', '');
  for (const name of ['three', 'four'])
    expect([...(await kept.compile([wrong], { ...task, directory: join(folder, name) })).wrong.keys()]).toEqual([0]);
});
