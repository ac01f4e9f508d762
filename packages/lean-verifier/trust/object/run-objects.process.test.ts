/**
 * Tests modules that runs of the screen leave: no proof is compiled twice for its object, and none gets another's
 * verdict. Half a minute of a core.
 */
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openJsonDriver } from '../../runtime/process/json-driver.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { candidate, kindsOf, open, type Row, scratchDirectory } from '../../testing/opened-verifier.ts';
import type { CheckResult, LeanEnvironment } from '../../verifier.ts';
import type { OnDisagreement } from './disagreement.ts';
import { MADE_AT_USE } from './header-snapshots.ts';
import { type ObjectRunEnd, RunObjects } from './run-objects.ts';

const environment = await coreEnvironment();
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Proofs of statements that differ, names included. */
const honest = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    candidate(`honest ${index}`, '  exact Nat.add_comm a b', `theorem h${index} (a b : Nat) : a + b = b + a`),
  );

const EXIT = { how: 'finished', code: 0, signal: null, stderr: '' } as const;
const GOOD: ObjectRunEnd = { exit: EXIT, hasErrors: false };

/** Writes down what each Lean is started with. */
function watched(name: string): { readonly environment: LeanEnvironment; readonly modules: () => string[] } {
  const [executable, log] = [join(folder, `${name}-lean`), join(folder, `${name}.log`)];
  writeFileSync(log, '');
  writeFileSync(executable, `#!/bin/sh\necho "$*" >>'${log}'\nexec '${environment.executable}' "$@"\n`, {
    mode: 0o755,
  });
  const lines = () => readFileSync(log, 'utf8').trim().split('\n');
  return {
    environment: { ...environment, executable },
    modules: () => lines().flatMap((line) => /-o \S+\/(Stp|Stated|Written)\w*\.olean/u.exec(line)?.[1] ?? []),
  };
}

const objects = (results: readonly CheckResult[]): Record<string, string | undefined> =>
  Object.fromEntries(results.map(({ id, certificate }) => [id, certificate?.objectHash]));

describe('a batch that Lean accepts', () => {
  it('is compiled once, and judged as that module', async () => {
    const lean = watched('once');
    const verifier = await open({ environment: lean.environment });
    const results = await verifier.check(honest(5));
    expect(new Set(Object.values(kindsOf(results)))).toEqual(new Set(['proved']));
    expect(new Set(Object.values(objects(results))).size).toBe(2);
    // Makes two runs, each with its statements.
    expect(lean.modules().sort()).toEqual(['Stated', 'Stated', 'Stp', 'Stp']);
    const [first] = results;
    expect(first!.certificate!.checks.map(({ outcome }) => outcome)).not.toContain('refused');
    expect(readdirSync(scratchDirectory).filter((name) => name.startsWith('run-'))).toEqual([]);
  });

  it('is compiled once also where the statements are the same, or have definitions above them', async () => {
    const lean = watched('same');
    const verifier = await open({ environment: lean.environment, processes: 1 });
    const header = 'import Init\ndef twice (n : Nat) : Nat := n + n\nopen Nat';
    const proofs = [
      '  simp [twice]; omega',
      '  exact (Nat.two_mul n).symm',
      '  unfold twice; exact (Nat.two_mul n).symm',
    ];
    const rows = proofs.map((proof, index) => ({
      ...candidate(String(index), proof, 'theorem t (n : Nat) : twice n = 2 * n'),
      header,
    }));
    expect(kindsOf(await verifier.check(rows))).toEqual({ 0: 'proved', 1: 'proved', 2: 'proved' });
    expect(lean.modules().filter((name) => name === 'Stp')).toHaveLength(1);
  });

  it('has a proof compiled apart that shares a part of another one', async () => {
    const lean = watched('shared');
    const verifier = await open({ environment: lean.environment, processes: 1 });
    // Lean keeps what `omega` proves as a lemma, and finds it again for the next theorem.
    const statement = (name: string): string => `theorem ${name} (n : Nat) (h : n < 5) : n < 9`;
    const rows = ['one', 'two'].map((name) => candidate(name, '  omega', statement(name)));
    const results = await verifier.check([...rows, ...honest(2)]);
    expect(new Set(Object.values(kindsOf(results)))).toEqual(new Set(['proved']));
    const by = objects(results);
    expect(by.one).toBe(by['honest 0']);
    expect(by.two).not.toBe(by.one);
    // The stored facts about the statements remain.
    expect(lean.modules().filter((name) => name === 'Stated')).toHaveLength(1);
    expect(lean.modules().filter((name) => name === 'Stp')).toHaveLength(2);
  });

  it('has proofs that share a part of their statement compiled once more each', async () => {
    const lean = watched('stated');
    const verifier = await open({ environment: lean.environment, processes: 1 });
    // Lean makes a constant for a `match`, here of the statement, and finds it again for the next theorem.
    const statement = 'theorem t (n : Nat) : (match n with | 0 => 0 | k + 1 => k + 1) = n';
    const rows = [1, 2, 3, 4, 5, 6].map((count) =>
      candidate(`${count}`, `${'  skip\n'.repeat(count)}  cases n <;> rfl`, statement),
    );
    const results = await verifier.check([...rows, candidate('wrong', '  cases n <;> omega', statement)]);
    expect(Object.values(kindsOf(results))).toEqual([...Array(6).fill('proved'), 'rejected']);
    expect(new Set(Object.values(objects(results)).slice(0, 6)).size).toBe(6);
    // Lean compiles all proofs, then those that shared, then each of them.
    const own = lean.modules().filter((name) => name === 'Stp');
    expect(own.length).toBeLessThanOrEqual(1 + 1 + 6 + 1);
  });
});

describe('a batch with something else in it', () => {
  const FALSE: Row = ['', 'theorem f : (1 : Nat) = 2', '  set_option debug.skipKernelTC true in decide +kernel'];

  it('is compiled anew without what Lean rejects', async () => {
    const lean = watched('rejects');
    const verifier = await open({ environment: lean.environment, processes: 1 });
    const results = await verifier.check([...honest(2), candidate('wrong', '  exact Nat.add_comm b a')]);
    expect(kindsOf(results)).toEqual({ 'honest 0': 'proved', 'honest 1': 'proved', wrong: 'rejected' });
    expect(results[2]!.messages[0]).toMatchObject({ severity: 'error', line: 1 });
    expect(results[2]!.messages[0]!.text).toMatch(/mismatch/);
    // The run, whose module Lean does not write, then the two proofs and their statements.
    expect(lean.modules()).toEqual(['Stp', 'Stated', 'Stp']);
  });

  it('lends it nothing: a proof that goes past Lean’s kernel is refused, the others have a module without it', async () => {
    const lean = watched('kernel');
    const verifier = await open({ environment: lean.environment, processes: 1 });
    const [header, statement, proof] = FALSE;
    const bad = { ...candidate('false', proof, statement), header: `import Init\n${header}` };
    const rows = [bad, ...honest(2).map((one) => ({ ...one, header: bad.header }))];
    const results = await verifier.check(rows);
    expect(results[0]!.kind).not.toBe('proved');
    expect(kindsOf(results.slice(1))).toEqual({ 'honest 0': 'proved', 'honest 1': 'proved' });
  });

  it('has kernels that disagree on it told of once', async () => {
    const onDisagreement = vi.fn<OnDisagreement>();
    const header = 'prelude\nimport Init.Core\ndef Nat.gcd (_ _ : Nat) : Nat := 0';
    const proof = `  have h : ∀ a b, Nat.gcd a b = 0 := fun a b => rfl
  have k : Nat.gcd 4 6 = 2 := rfl
  exact (h 4 6).symm.trans k`;
    const verifier = await open({ processes: 1, onDisagreement });
    const [found] = await verifier.check([{ ...candidate('gcd', proof, 'theorem t : 0 = 2'), header }]);
    expect(found!.kind).not.toBe('proved');
    expect(onDisagreement).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a wrong statement', 'theorem t : nowhere = 1', '  rfl', 'header_error'],
    ['a statement that cannot be read before the proof', 'theorem t (a : Nat) : a = b', '  rfl', 'header_error'],
    ['an open goal', 'theorem t (a b : Nat) : a + b = b + a', '  skip', 'rejected'],
    ['a proof that does not end', 'theorem t (a b : Nat) : a + b = b + a', '  repeat skip', 'timeout'],
  ])('tells of %s as ever', async (_, statement, proof, kind) => {
    const verifier = await open({ processes: 1 });
    const asked = [candidate('asked', proof, statement), ...honest(1)];
    expect(kindsOf(await verifier.check(asked))).toEqual({ asked: kind, 'honest 0': 'proved' });
    const unexplained = await verifier.check([asked[0]!], { explains: () => false });
    expect(unexplained[0]!.kind).toBe(kind);
  });
});

describe('what a run leaves', () => {
  const processContext = { environment, workingDirectory: folder };
  const runs = new RunObjects(processContext, folder);
  const bounds = { memoryBytesMax: 3_000_000_000 };
  const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('run-'));
  afterAll(() => runs.close());

  it.each<[string, (directory: string, module: string) => void, Partial<ObjectRunEnd>]>([
    ['nothing', () => {}, {}],
    [
      'a file beside the module',
      (at, name) => ['more', `${name}.olean`].map((own) => writeFileSync(join(at, own), '')),
      {},
    ],
    ['a link in the module’s place', (at, name) => symlinkSync(environment.executable, join(at, `${name}.olean`)), {}],
    ['a module of a text with errors', (at, name) => writeFileSync(join(at, `${name}.olean`), ''), { hasErrors: true }],
    [
      'a module, and an exit code',
      (at, name) => writeFileSync(join(at, `${name}.olean`), ''),
      { exit: { ...EXIT, code: 1 } },
    ],
    [
      'a module when it was killed',
      (at, name) => writeFileSync(join(at, `${name}.olean`), ''),
      { exit: { ...EXIT, how: 'crashed' } },
    ],
  ])('is no module if it is %s', async (_, leave, end) => {
    const found = await runs.write('import Init', bounds, async ({ directory, module }) => {
      leave(directory, module);
      return { ...GOOD, ...end };
    });
    expect(found.bytes).toBeNull();
    expect(left()).toEqual([]);
  });

  it('is read into memory, and goes from the disk, also where the run is given up', async () => {
    const whole = await runs.write('import Init', bounds, async ({ directory, module }) => {
      writeFileSync(join(directory, `${module}.olean`), 'module');
      return GOOD;
    });
    expect(whole.bytes!.toString()).toBe('module');
    await expect(runs.write('import Init', bounds, () => Promise.reject(new Error('given up')))).rejects.toThrow(
      'given up',
    );
    expect(left()).toEqual([]);
  });

  it('tells of a snapshot that Lean may not be able to load: the next run has another, or none', async () => {
    const some = new RunObjects(processContext, folder);
    const given: (string | undefined)[] = [];
    const run = (end: Partial<ObjectRunEnd>) =>
      some.write('import Init', bounds, async ({ snapshot }) => {
        given.push(snapshot?.path);
        return { ...GOOD, ...end };
      });
    for (let use = 0; use <= MADE_AT_USE; use++) await run({});
    await run({ exit: { ...EXIT, code: 1 }, hasErrors: true });
    await run({ exit: { ...EXIT, code: 1 } });
    await run({});
    await some.close();
    const [made] = given.filter((path) => path !== undefined);
    expect(made).toBeDefined();
    expect(given.slice(-3)).toEqual([made, made, undefined]);
  });

  it('comes from a process that reads one proof after the other, also behind saved imports: those before a stuck one are told of', async () => {
    const some = new RunObjects(processContext, folder);
    const stuck = Array.from({ length: 8 }, (_, at) => `theorem b${at} : 0 = 1 := by repeat skip`);
    const body = ['set_option maxHeartbeats 0', 'theorem a : 1 = 1 := by rfl', '#print "told"', ...stuck, ''].join(
      '\n',
    );
    const opened = await openJsonDriver(processContext, 'in runs').open('import Init', bounds);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    const told: string[] = [];
    for (let use = 1; use < MADE_AT_USE; use++) await some.write('import Init', bounds, async () => GOOD);
    const { exit } = await some.write('import Init', bounds, async (object) => {
      expect(object.snapshot).toBeTruthy();
      const onMessage = ({ text }: LeanMessage): void => void told.push(text);
      return {
        exit: await opened.session.run({ ...bounds, body, object, deadlineMs: 2_000, onMessage }),
        hasErrors: false,
      };
    });
    await some.close();
    expect(exit.how).toBe('deadline');
    expect(told).toEqual(['told']);
  });
});
