/** What is kept between judgements changes no object and no verdict: snapshots of imports, and compiled statements. Half a minute of a core. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { claimOf } from '../../testing/claim.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { COMMUTES, candidate, kindsOf, open, scratchDirectory } from '../../testing/opened-verifier.ts';
import { type CompiledModule, compileModule } from './compiled-module.ts';
import { HeaderSnapshots, MADE_AT_USE } from './header-snapshots.ts';
import { StatedModules } from './stated-module-cache.ts';

const environment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
const folder = scratchFolder();
const processContext = { environment, workingDirectory: folder, ...(sandbox === null ? {} : { sandbox }) };
const memoryBytesMax = 3_000_000_000;
const snapshots = new HeaderSnapshots(folder, { madeAtUse: 2 });
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

const task = (name: string, text: string) => ({
  processContext,
  memoryBytesMax,
  signal: new AbortController().signal,
  module: 'Same',
  text,
  directory: join(folder, name),
  deadlineMs: 120_000,
});
const withBytes = (done: CompiledModule) => ({ ...done, bytes: done.path === null ? null : readFileSync(done.path) });
const plainly = async (text: string) => withBytes(await compileModule(task('plain', text)));
/** From the snapshot where there is one. */
const loaded = async (imports: readonly string[], text: string, of = snapshots, name = 'loaded') =>
  withBytes(await of.compile(imports, task(name, text)));
const kept = () => readdirSync(folder).filter((name) => name.startsWith('snapshot-'));

describe.each(Object.entries(TEXTS))('%s', (_, [imports, body]) => {
  it('compile to the same bytes with a snapshot and without', async () => {
    const text = `${imports.join('\n')}\n${body}\n`;
    const some = new HeaderSnapshots(folder, { madeAtUse: 2 });
    const before = kept();
    const plain = await plainly(text);
    const first = await loaded(imports, text, some);
    expect(kept()).toEqual(before);
    const second = await loaded(imports, text, some);
    expect(kept()).toHaveLength(before.length + 1);
    expect([plain.failure, plain.messages.filter(({ severity }) => severity === 'error')]).toEqual(['', []]);
    expect([first.bytes!.equals(plain.bytes!), second.bytes!.equals(plain.bytes!)]).toEqual([true, true]);
    const wrong = `${text}\ntheorem wrong : 1 = 2 := by\n  rfl\n`;
    const [one, other] = [await plainly(wrong), await loaded(imports, wrong, some)];
    expect(other.messages).toEqual(one.messages);
    expect([one.path, other.path]).toEqual([null, null]);
    await some.close();
  });
});

it('is not made for imports that Lean does not have, and a text of other imports is compiled as ever', async () => {
  const before = kept();
  for (let use = 0; use < 3; use++) expect((await loaded(['import Nowhere'], 'import Nowhere\n')).path).toBeNull();
  expect(kept()).toEqual(before);
  const text = 'import Init\ntheorem a (x y : Nat) (h : x < y) : ¬ y ≤ x := by omega\n';
  const plain = await plainly(text);
  for (let use = 0; use < 3; use++)
    expect((await loaded(['import Init.Data.List.Basic'], text)).bytes!.equals(plain.bytes!)).toBe(true);
});

it('keeps few, and leaves none', async () => {
  const some = new HeaderSnapshots(folder, { madeAtUse: 2 });
  const before = kept().length;
  for (const name of ['Data.Nat.Basic', 'Data.List.Basic', 'Data.Int.Basic', 'Omega', 'Tactics'])
    for (let use = 0; use < 3; use++) await loaded([`import Init.${name}`], `import Init.${name}\n`, some);
  expect(kept()).toHaveLength(before + 4);
  await some.close();
  expect(kept()).toHaveLength(before);
});

it('is there as long as Lean may load it, however many others are asked for meanwhile', async () => {
  // Makes a Lean that waits before it loads, and records the files that it did not find.
  const [executable, missed] = [join(folder, 'slow-lean'), join(folder, 'missed')];
  const script = `for word; do case "$word" in --incr-load=*) sleep 0.5; [ -e "\${word#--incr-load=}" ] || echo "$word" >>'${missed}';; esac; done`;
  writeFileSync(executable, `#!/bin/sh\n${script}\nexec '${environment.executable}' "$@"\n`, { mode: 0o755 });
  const slow = { environment: { ...environment, executable }, workingDirectory: folder };
  const some = new HeaderSnapshots(folder, { madeAtUse: 2 });
  const before = kept().length;
  const names = ['Data.Nat.Basic', 'Data.List.Basic', 'Data.Int.Basic', 'Omega', 'Tactics', 'Data.Bool', 'Core'];
  const rounds = names.flatMap((name) => [name, name, name]);
  const done = await Promise.all(
    rounds.map((name, index) => {
      const own = { ...task(`many-${index}`, `import Init.${name}\n`), processContext: slow };
      return some.compile([`import Init.${name}`], own);
    }),
  );
  expect(done.map(({ exit, path }) => [exit, path !== null])).toEqual(rounds.map(() => ['finished', true]));
  expect(existsSync(missed)).toBe(false);
  expect(kept().length).toBeLessThanOrEqual(before + 4);
  await some.close();
  expect(kept()).toHaveLength(before);
}, 120_000);

it('a damaged snapshot changes no verdict', async () => {
  const verifier = await open({ ...(sandbox === null ? {} : { sandbox }) });
  const claims = [candidate('good', '  omega'), candidate('bad', '  exact Nat.add_comm b a')];
  const asked = claims.map((one) => ({ ...one, header: 'import Init' }));
  const verdicts = async (statement: string) =>
    kindsOf(await verifier.check(asked.map((one) => ({ ...one, statement }))));
  const expected = { good: 'proved', bad: 'rejected' };
  for (let use = 1; use < MADE_AT_USE; use++) expect(await verdicts(COMMUTES)).toEqual(expected);
  expect(await verdicts('theorem t (a b : Nat) : a + b + 0 = b + a')).toMatchObject({ good: 'proved' });
  for (const damage of ['nonsense', null]) {
    // The snapshot is dropped when Lean cannot read it, and made again after some uses.
    const made = readdirSync(scratchDirectory).filter((name) => name.startsWith('snapshot-'));
    expect(made).toHaveLength(1);
    const own = join(scratchDirectory, made[0]!);
    if (damage === null) rmSync(own, { recursive: true });
    else writeFileSync(join(own, 'header'), damage);
    for (let use = 0; use <= MADE_AT_USE; use++) expect(await verdicts(COMMUTES)).toEqual(expected);
    expect(readdirSync(scratchDirectory)).not.toContain(made[0]);
  }
}, 180_000);

const stating = {
  processContext,
  memoryBytesMax,
  importLines: ['import Init'],
  opening: [''],
  writtenUnder: '',
  indexFolder: null,
};

it('a kept statement is compiled once, and is what its text, its header and its name say', async () => {
  const statements = new StatedModules();
  const theorem = claimOf(' (n : Nat) : n + 0 = n', '');
  const first = await statements.compile([theorem], { ...stating, directory: join(folder, 'one') });
  const bytes = readFileSync(first.path!);
  // Nothing that happens to the file afterwards matters.
  writeFileSync(first.path!, 'forged');
  const again = await statements.compile([theorem], { ...stating, directory: join(folder, 'two') });
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
    await statements.compile([stated], { ...stating, ...more, directory: other });
    expect(existsSync(join(other, 'Stated'))).toBe(true);
    rmSync(other, { recursive: true });
  }
  const wrong = claimOf(' : nowhere', '');
  for (const name of ['three', 'four'])
    expect([
      ...(await statements.compile([wrong], { ...stating, directory: join(folder, name) })).wrong.keys(),
    ]).toEqual([0]);
});

it('a statement that is being compiled is not compiled twice, and not lost with the one that began', async () => {
  const statements = new StatedModules();
  const compile = (theorem: ReturnType<typeof claimOf>, name: string, more: object = {}) =>
    statements.compile([theorem], { ...stating, ...more, directory: join(folder, name) });
  const theorem = claimOf(' (n : Nat) : n + 0 = n', '');
  const found = await Promise.all(['begun', 'beside'].map((name) => compile(theorem, name)));
  expect(found.map(({ problem, wrong }) => [problem, wrong.size])).toEqual([
    ['', 0],
    ['', 0],
  ]);
  expect(existsSync(join(folder, 'begun', 'Stated'))).toBe(true);
  expect(existsSync(join(folder, 'beside', 'Stated'))).toBe(false);
  expect(readFileSync(found[1]!.path!).equals(readFileSync(found[0]!.path!))).toBe(true);
  const stop = new AbortController();
  const other = claimOf(' (n : Nat) : n * 1 = n', '');
  const given = compile(other, 'given-up', { signal: stop.signal });
  const waits = compile(other, 'waits');
  stop.abort(new Error('given up'));
  await expect(given).rejects.toThrow('given up');
  expect(await waits).toMatchObject({ problem: '', path: join(folder, 'waits', 'Stated', 'Stated.olean') });
});
