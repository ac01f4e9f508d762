/**
 * Tests a growing library on real Lean: theorems that one round certified are premises of the next, and files with both
 * are accepted. Costs about 15 s.
 */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactRef, ObjectStore, Proved } from '@stp/config/records';
import { CERTIFICATE, proved, statement } from '@stp/config/testing';
import {
  type Candidate,
  type CheckResult,
  checkFile,
  growable,
  growEnvironment,
  grownHeaders,
  grownMarks,
  grownModules,
  type LeanEnvironment,
  LIBRARY_HEADER,
  markedProof,
  openVerifier,
  type Verifier,
} from '@stp/lean-verifier';
import { hashOfFile } from '@stp/lean-verifier/testing';
import { TRIVIAL_PROOF } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { growLibraryActivity } from '../../activities/host/grow-library.ts';
import type { LibraryGrowth, RunStore } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { type GrownRecord, grownTheoremSchema, marksFor } from '../../activities/round/library.ts';
import { keptName, proofsFile } from '../../activities/round/proofs-file.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { repositorySources } from '../../workers/sources.ts';
import { writeManifest } from './manifests.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

let directory: string;
let store: ObjectStore;
let environment: LeanEnvironment;
let verifier: Verifier;
beforeAll(async () => {
  // Outside the folder for temporary files, where Lean works, to show that the modules may be elsewhere.
  await mkdir(workerSettings().scratchDirectory, { recursive: true });
  directory = await mkdtemp(join(workerSettings().scratchDirectory, 'grow-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  environment = await leanEnvironment(workerSettings(), () => undefined);
  verifier = await openVerifier({
    environment,
    libraryHeader: LIBRARY_HEADER,
    processes: 1,
    cacheDirectory: null,
    scratchDirectory: directory,
  });
});
afterAll(async () => {
  await verifier?.close();
  await rm(directory, { recursive: true, force: true });
});

const conjecture = (text: string, proof: string, more: Partial<Proved> = {}): Proved =>
  proved(text, proof, { origin: 'conjecture', round: 1, ...more });
const FIRST = conjecture('theorem first (n : Nat) : double n + n = 3 * n', 'rw [double_eq_add]\nomega', {
  passRate: 0.1,
});
const BROKEN = conjecture('theorem broken (n : Nat) : n + 1 = n', 'rfl', { passRate: 0.2 });
const OTHER = conjecture('theorem other (xs : List Nat) : xs ++ [] = xs', 'simp', { passRate: 0.9 });
const NO_PATTERN = conjecture('theorem bare (n : Nat) : n = 0 + n', 'omega', { passRate: 0.3 });
const TIP = 'import Stp\nimport Stp.Problems.Tip2015\nopen Stp.Problems.Tip2015';
const ELSEWHERE = conjecture('theorem elsewhere (n : Nat) : plus n Nat.zero = n', 'induction n <;> simp_all [plus]', {
  header: TIP,
});
const SECOND = conjecture('theorem second (n : Nat) : double n + n = 3 * n ∧ True', 'exact ⟨g1 n, trivial⟩', {
  round: 2,
  premises: ['Grown.g1'],
});

/** Makes the certificate of a proof that rests on these theorems. */
const resting = (...restsOn: string[]) => ({ ...CERTIFICATE, restsOn });

const options = () => ({ cacheDirectory: directory });
const ports = (): RunStore & LibraryGrowth => ({
  store: async () => store,
  growable: (_run, earlier, added) =>
    growable(environment, earlier, added, { ...options(), trivialProof: TRIVIAL_PROOF, processes: 2 }),
});

let stores = 0;
/** Grows the library by a round's certified proofs, over the library of the round before or within the round. */
async function grow(
  round: number,
  certified: readonly Proved[],
  before: ArtifactRef | null,
  within = false,
): Promise<ArtifactRef> {
  const folder = `run-${stores++}`;
  const config = { verification: { sandbox: 'off' } };
  const history = within ? [] : [await writeManifest(store, folder, { round, proved: certified, library: before })];
  const input = {
    ...{ run: 'test', round: within ? round : round + 1, name: `${folder}/rounds/${round + 1}`, history, config },
    ...(within
      ? { own: { library: before, proved: await writeRecords(store, `${folder}/proved.jsonl`, certified) } }
      : {}),
  };
  const library = await new MockActivityEnvironment().run(growLibraryActivity(ports()).growLibrary as never, input);
  return library as unknown as ArtifactRef;
}

const theoremsOf = (library: ArtifactRef): Promise<GrownRecord[]> => readAll(store, library, grownTheoremSchema);

async function check(
  library: readonly GrownRecord[],
  candidates: readonly Candidate[],
): Promise<readonly CheckResult[]> {
  const verifier = await openVerifier({
    environment: await growEnvironment(environment, library, options()),
    libraryHeader: LIBRARY_HEADER,
    processes: 2,
    cacheDirectory: null,
    scratchDirectory: directory,
    premiseNames: library.map(({ name }) => name),
  });
  const headers = grownHeaders(library);
  try {
    return await verifier.check(
      candidates.map((one) => ({ ...one, header: headers.get(one.header) ?? one.header, statedUnder: one.header })),
    );
  } finally {
    await verifier.close();
  }
}

async function verdictsOf(name: string, text: string): Promise<[string, string][]> {
  const path = join(directory, `${name}.lean`);
  await writeFile(path, text);
  const report = await checkFile(path, environment, { scratchDirectory: directory });
  expect(report.checks.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed')).toEqual([]);
  // `lean` prints nothing for a correct file.
  expect(report.messages).toEqual([]);
  return report.theorems.map((theorem) => [theorem.name, theorem.verdict]);
}

describe('a library that grows', () => {
  it('takes what was certified, hardest first, and loses only what does not compile', async () => {
    const given = proved('theorem given (n m : Nat) : double n + m + n = 3 * n + m', 'rw [double_eq_add]\nomega', {
      passRate: 0.95,
    });
    const library = await theoremsOf(await grow(1, [OTHER, BROKEN, given, FIRST, ELSEWHERE], null));
    expect(library.map(({ name, statementId, origin }) => [name, statementId, origin])).toEqual([
      ['Grown.g1', FIRST.statementId, 'conjecture'],
      ['Grown.g3', ELSEWHERE.statementId, 'conjecture'],
      ['Grown.g4', OTHER.statementId, 'conjecture'],
      ['Grown.g5', given.statementId, 'dataset'],
    ]);
  });

  it('marks what a cheap tactic does not prove, and gives no statement its own mark or a later one', async () => {
    const plain = proved('theorem plain : 3 * 4 = 12', 'rfl', { passRate: 0.1 });
    const rule = proved('theorem rule (n : Nat) : double n + n = 3 * n', 'rw [double_eq_add]\nomega', {
      passRate: 0.3,
    });
    const library = await theoremsOf(await grow(1, [plain, rule], null));
    expect(library.map(({ marks }) => marks)).toEqual([[], ['simp', 'grind =']]);
    const marks = marksFor(library);
    expect(marks({ id: rule.statementId, header: null })).toBeNull();
    expect(marks({ id: 'another', header: null })).toBe('Grown.marked2');
    expect(marks({ id: 'another', header: TIP })).toBeNull();
    const next = marksFor([
      ...library,
      { ...library[1]!, name: 'Grown.g3', round: 2, generation: 2, statementId: 'later' },
    ]);
    expect([rule.statementId, 'later', 'another'].map((id) => next({ id, header: null }))).toEqual([
      null,
      'Grown.marked2',
      'Grown.marked3',
    ]);
  });

  it('grows by a round’s own conjectures too, and then by what else the round proved', { tags: ['slow'] }, async () => {
    const first = await grow(0, [OTHER], null);
    const within = await grow(1, [FIRST], first, true);
    const rule = proved('theorem rule (n : Nat) : double n + n + n = 4 * n', 'rw [double_eq_add]\nomega', { round: 1 });
    const library = await theoremsOf(await grow(1, [FIRST, rule], within));
    expect(library.map(({ name, round, generation }) => [name, round, generation])).toEqual([
      ['Grown.g1', 0, 0],
      ['Grown.g2', 1, 1],
      ['Grown.g3', 1, 2],
    ]);
    expect(grownModules(library)).toHaveLength(3);
    expect(marksFor(library)({ id: rule.statementId, header: null })).toBe('Grown.marked2');
    expect(marksFor(library)({ id: FIRST.statementId, header: null })).toBe('Grown.marked1');
  });

  it('marks nothing that follows from what is marked, earlier or smaller', async () => {
    const of = (text: string, passRate: number): Proved =>
      proved(`theorem some ${text}`, 'simp only [double_eq_add]\nomega', { passRate });
    const first = await grow(1, [of('(n : Nat) : double n + n = 3 * n', 0.1)], null);
    const larger = of('(n m k : Nat) : m + (double n + 1) + k = k + (2 * n + 1) + m', 0.1);
    const smaller = of('(n : Nat) : double n + 1 = 2 * n + 1', 0.2);
    const earlier = of('(n m : Nat) : m + (double n + n) = m + 3 * n', 0.3);
    const library = await theoremsOf(await grow(2, [larger, smaller, earlier], first));
    expect(library.map(({ name, marks }) => [name, marks.length])).toEqual([
      ['Grown.g1', 2],
      ['Grown.g2', 2],
      ['Grown.g3', 2],
      ['Grown.g4', 0],
    ]);
    const follows = of('(n m : Nat) : m + (double n + 1) = m + (2 * n + 1)', 0.1);
    const next = await theoremsOf(await grow(2, [follows, smaller], first));
    expect(next.map(({ marks }) => marks.length)).toEqual([2, 0, 2]);
  });

  it('gives each header its own theorems, and a module for each growth that imports the one before', {
    tags: ['slow'],
  }, async () => {
    const first = await grow(1, [OTHER, BROKEN, FIRST, ELSEWHERE], null);
    const library = await theoremsOf(await grow(2, [SECOND, { ...FIRST, proof: 'omega' }], first));
    expect(library.map(({ name }) => name)).toEqual(['Grown.g1', 'Grown.g3', 'Grown.g4', 'Grown.g5']);
    const modules = grownModules(library);
    expect(modules.map(({ header, theorems }) => [header, theorems.map(({ name }) => name)])).toEqual([
      [null, ['Grown.g1', 'Grown.g4']],
      [null, ['Grown.g5']],
      [TIP, ['Grown.g3']],
    ]);
    expect(modules[1]!.source).toContain(`import ${modules[0]!.module}\n`);
    const one = statement('theorem t (n : Nat) : double n + n = 3 * n');
    const uses = (id: string, header: string | null, proof: string): Candidate => ({ ...one, id, header, proof });
    const results = await check(library, [
      uses('own', null, 'exact g1 n'),
      uses('chain', null, 'exact (g5 n).1'),
      uses('unknown', null, 'exact g3 n'),
      { id: 'tip', header: TIP, statement: 'theorem t (n : Nat) : plus n Nat.zero = n', proof: 'exact g3 n' },
      { id: 'not there', header: TIP, statement: 'theorem t (xs : List Nat) : xs ++ [] = xs', proof: 'exact g4 xs' },
    ]);
    expect(results.map(({ id, kind, premises }) => [id, kind, premises])).toEqual([
      ['own', 'proved', ['Grown.g1']],
      ['chain', 'proved', ['Grown.g5']],
      ['unknown', 'rejected', ['Grown.g3']],
      ['tip', 'proved', ['Grown.g3']],
      ['not there', 'rejected', ['Grown.g4']],
    ]);
  });

  it('stands, as far as it is used, above the proofs in their file, and Lean accepts it as a whole', async () => {
    const library = await theoremsOf(await grow(1, [FIRST, OTHER], null));
    const grown: GrownRecord[] = [
      ...library,
      { ...library[0]!, name: 'Grown.g5', round: 2, generation: 2, ...pick(SECOND), statementId: SECOND.statementId },
    ];
    const kept = proved('theorem kept (n : Nat) : True ∧ double n + n = 3 * n', 'exact ⟨by simp [double], (g5 n).1⟩', {
      round: 3,
      premises: ['Grown.g5'],
    });
    const expected = [
      ['Grown.g1', 'accepted'],
      ['Grown.g5', 'accepted'],
      [keptName(kept), 'accepted'],
    ];
    const text = proofsFile(await repositorySources().modules(), [kept], grown);
    expect(text.match(/^import /gm)).toBeNull();
    const verdicts = await verdictsOf('Proofs', text);
    expect(verdicts.filter(([name]) => name.startsWith('Grown.') || name.startsWith('Kept.'))).toEqual(expected);
    expect(verdicts.filter(([, verdict]) => verdict !== 'accepted')).toEqual([]);
  });

  it('is used by simp and grind without names, in proofs that open its marks', { tags: ['slow'] }, async () => {
    const library = await theoremsOf(await grow(1, [FIRST, NO_PATTERN, ELSEWHERE], null));
    expect(library.map(({ name, marks }) => [name, marks])).toEqual([
      ['Grown.g1', ['simp', 'grind =']],
      ['Grown.g2', []],
      ['Grown.g3', ['simp', 'grind =']],
    ]);
    const next = [
      ...library,
      { ...library[0]!, name: 'Grown.g4', round: 2, generation: 2, ...pick(SECOND), marks: [] },
    ];
    const marks = grownMarks(next).get(null)!;
    expect([marks, grownMarks(library).get(TIP)]).toEqual(['Grown.marked4', 'Grown.marked3']);
    const one = statement('theorem t (n : Nat) : double n + n = 3 * n');
    const tip = 'theorem t (n : Nat) : plus n Nat.zero = n';
    const results = await check(next, [
      { ...one, header: null, proof: 'simp' },
      { id: 'tip', header: TIP, statement: tip, proof: 'grind' },
      { ...one, header: null, proof: markedProof('have : 1 = 1 := by\n  rfl\nsimp', marks) },
      { id: 'tip', header: TIP, statement: tip, proof: markedProof('grind', 'Grown.marked3') },
    ]);
    expect(results.map(({ kind, certificate }) => [kind, certificate?.restsOn])).toEqual([
      ['rejected', undefined],
      ['rejected', undefined],
      ['proved', ['Grown.g1']],
      ['proved', ['Grown.g3']],
    ]);

    const kept = proved('theorem kept (n : Nat) : 1 + (double n + n) = 1 + 3 * n', markedProof('simp', marks), {
      round: 3,
    });
    const expected = [...['g1', 'g2', 'g4'].map((name) => [`Grown.${name}`, 'accepted']), [keptName(kept), 'accepted']];
    const modules = await repositorySources().modules();
    const isOurs = ([name]: readonly unknown[]): boolean => /^(?:Grown|Kept)\./.test(String(name));
    const verdicts = await verdictsOf('MarkedProofs', proofsFile(modules, [kept], next, new Set([keptName(kept)])));
    expect(verdicts.filter(isOurs)).toEqual(expected);

    // Only over the theorems that the proofs rest on, possibly none.
    const alone = proved('theorem alone (n : Nat) : n + 0 = n', markedProof('simp', marks), {
      ...{ round: 3, certificate: resting() },
    });
    const known = [{ ...kept, certificate: resting('Grown.g1') }, alone];
    const few = [['Grown.g1', 'accepted'], ...known.map((one) => [keptName(one), 'accepted'])];
    expect((await verdictsOf('UsedProofs', proofsFile(modules, known, next))).filter(isOurs)).toEqual(few);
  });

  it('leaves out what a header defines, which stands beside its theorems in the file of proofs', {
    tags: ['slow'],
  }, async () => {
    const own = (answer: number) =>
      proved(`theorem own : 1 + ${answer - 1} = twice answer / 2`, 'rfl', {
        header: `import Stp\nopen Stp\n\nabbrev answer : Nat := ${answer}\ndef twice (n : Nat) : Nat := double n`,
      });
    const certified = [own(2), own(3)];
    expect(await grow(1, certified, null)).toBeNull();
    const expected = certified.map((one) => [keptName(one), 'accepted']);
    const verdicts = await verdictsOf('OwnProofs', proofsFile(await repositorySources().modules(), certified));
    expect(verdicts.filter(([name]) => name.startsWith('Kept.'))).toEqual(expected);
  });

  it.each(['import Stp\nopen Stp\nnamespace Foo', 'import Stp\nopen Stp\nnoncomputable section'])(
    'leaves out what stands in a scope that its header leaves open (%j), which the file of proofs closes',
    async (header) => {
      const certified = [{ ...FIRST, header }];
      expect(await grow(1, certified, null)).toBeNull();
      const expected = certified.map((one) => [keptName(one), 'accepted']);
      const verdicts = await verdictsOf('OpenProofs', proofsFile(await repositorySources().modules(), certified));
      expect(verdicts.filter(([name]) => name.startsWith('Kept.'))).toEqual(expected);
    },
  );

  it('gives a theorem with any name another one: universe parameters stay, quoted names go', async () => {
    const certified = [
      'theorem several.{u} (α : Type u) (a : α) : a = a',
      'theorem both.{u, v} {α : Type u} {β : Type v} (f : α → β) (a : α) : f a = f a',
      'lemma «a b».c (n : Nat) : n = n',
      'theorem  bare: 1 = 1',
    ].map((text) => conjecture(text, 'rfl'));
    const library = await theoremsOf(await grow(1, certified, null));
    expect(library.map(({ name }) => name)).toEqual(['Grown.g1', 'Grown.g2', 'Grown.g3', 'Grown.g4']);
    const expected = certified.map((one) => [keptName(one), 'accepted']);
    const verdicts = await verdictsOf('Names', proofsFile(await repositorySources().modules(), certified));
    expect(verdicts.filter(([name]) => name.startsWith('Kept.'))).toEqual(expected);
  });

  it('is judged by what its modules hold: a proof over a module that was exchanged counts for nothing', async () => {
    const library = await theoremsOf(await grow(1, [FIRST], null));
    const grown = await growEnvironment(environment, library, options());
    const [{ path, hash }] = grown.grown as [{ path: string; hash: string }];
    const { searchPath } = grown;
    const ofToolchain = searchPath.findIndex((folder) => existsSync(join(folder, 'Init.olean')));
    expect([ofToolchain, searchPath.indexOf(dirname(path))]).toEqual([searchPath.length - 2, searchPath.length - 1]);
    const forged = join(directory, 'forged');
    await mkdir(forged);
    const module = basename(path, '.olean');
    const source = grownModules(library)[0]!.source.replace(
      /theorem g1[\s\S]*?\nnamespace/u,
      'axiom g1 : 0 = 1\nnamespace',
    );
    await writeFile(join(forged, `${module}.lean`), source.replace(/^attribute .*$/gmu, ''));
    execaSync(
      environment.executable,
      [`--root=${forged}`, '-o', join(forged, 'made'), join(forged, `${module}.lean`)],
      {
        env: { LEAN_PATH: environment.searchPath.join(':') },
      },
    );
    const honest = await readFile(path);
    const cheat = {
      id: 'cheat',
      statement: 'theorem t : 0 = 1',
      header: grownHeaders(library).get(null)!,
      proof: 'exact g1',
    };
    const over = async (hash: string, name: string): Promise<CheckResult> => {
      const objects = [{ path, hash }];
      const verifier = await openVerifier({
        environment: { ...grown, grown: objects, fingerprint: name },
        ...{ libraryHeader: LIBRARY_HEADER, processes: 1, cacheDirectory: null, scratchDirectory: directory },
      });
      try {
        const [result] = await verifier.check([{ ...cheat, statedUnder: null }]);
        return result!;
      } finally {
        await verifier.close();
      }
    };
    try {
      await copyFile(join(forged, 'made'), path);
      // The axiom is found whatever the hash says, and a module whose hash differs from the judged one is not used.
      expect(await over(await hashOfFile(path), 'forged')).toMatchObject({ kind: 'rejected', axioms: ['Grown.g1'] });
      const one = { ...cheat, id: 'one', statement: 'theorem t : 0 = 0', proof: 'rfl' };
      Object.assign(cheat, one);
      expect(await over(hash, 'exchanged')).toMatchObject({
        kind: 'infra',
        messages: [{ text: expect.stringContaining('no longer the module that was judged') }],
      });
      // Growing it again gives the same library.
      const again = await growEnvironment(environment, library, options());
      expect(again.grown).toEqual(grown.grown);
      expect((await readFile(path)).equals(honest)).toBe(true);
    } finally {
      await writeFile(path, honest);
    }
  });

  it('says which theorem it cannot compile where it was made with another Lean', async () => {
    const [record] = await theoremsOf(await grow(1, [FIRST], null));
    await expect(
      growEnvironment(environment, [{ ...record!, proof: 'no_such_tactic' }], options()),
    ).rejects.toMatchObject({
      code: 'STP1202',
      message: expect.stringContaining('no_such_tactic'),
    });
  });
});

function pick({ statement: text, proof, premises }: Proved) {
  return { statement: text, proof, premises };
}
