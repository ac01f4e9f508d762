/**
 * A built Lake project under Lean: a folder laid out as Lake lays it out, with modules that real Lean compiled, used without
 * Lake. Costs 15 s.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type LeanEnvironment,
  openSandbox,
  openVerifier,
  readLakeProject,
  type Toolchain,
  variablesForProject,
} from '@stp/lean-verifier';
import { leanForTests, temporaryFolder } from '@stp/lean-verifier/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';

const REVISION = '0123456789abcdef0123456789abcdef01234567';
let lean: Toolchain;
let template: string;
beforeAll(async () => {
  lean = await leanForTests();
  template = await mkdtemp(join(tmpdir(), 'stp-lake-'));
  await buildProject(template);
});
afterAll(() => rm(template, { recursive: true, force: true }));

const asLakeWrites = {
  version: '1.1.0',
  packagesDir: '.lake/packages',
  packages: [
    { type: 'git', url: 'https://example.org/order', rev: REVISION, name: 'order', subDir: null, inherited: false },
    { type: 'path', dir: 'local', name: 'local', inherited: false },
    { type: 'git', url: 'https://example.org/unused', rev: REVISION, name: 'unused', inherited: false },
  ],
  name: 'algebra',
  lakeDir: '.lake',
};

/** `algebra`, which imports a fetched package and one beside it; a third package is not built. */
async function buildProject(project: string): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  };
  await write('lean-toolchain', `leanprover/lean4:v${/\d+\.\d+\.\d+/.exec(lean.version)![0]}\n`);
  await write('lake-manifest.json', JSON.stringify(asLakeWrites));
  await write('.git/HEAD', `${REVISION}\n`);
  const built: string[] = [];
  const compile = async (packageFolder: string, module: string, source: string): Promise<void> => {
    const folder = join(project, packageFolder, '.lake', 'build', 'lib', 'lean');
    if (!built.includes(folder)) built.push(folder);
    const olean = join(folder, `${module.replaceAll('.', '/')}.olean`);
    await mkdir(dirname(olean), { recursive: true });
    await write('source.lean', source);
    const env = { LEAN_PATH: built.join(':') };
    await execa(lean.executable, [`--root=${project}`, '-o', olean, join(project, 'source.lean')], { env });
  };
  await compile('.lake/packages/order', 'Order.Basic', 'theorem Order.self (a : Nat) : a ≤ a := Nat.le_refl a\n');
  await compile('local', 'Local', 'def Local.two : Nat := 2\n');
  await compile('.', 'Algebra', 'import Order.Basic\nimport Local\ntheorem two_le : Local.two ≤ 2 := Order.self 2\n');
  await mkdir(join(project, '.lake/packages/unused'), { recursive: true });
}

/** A copy that a test may change. */
async function makeProject(): Promise<string> {
  const project = await temporaryFolder();
  await cp(template, project, { recursive: true });
  return project;
}

const withProject = (leanProject: string): Promise<LeanEnvironment> =>
  leanEnvironment({ ...workerSettings(), leanProject }, () => undefined);

describe('a built Lake project', () => {
  it('stands under statements that import it, with its packages and our library', { tags: ['slow'] }, async () => {
    const project = await makeProject();
    const environment = await withProject(project);
    expect(environment.version).toBe(`${lean.version}, algebra 0123456789ab`);
    const common = { header: 'import Algebra\nimport Stp', statement: 'theorem t : Local.two ≤ 2' };
    const scratchDirectory = await temporaryFolder();
    const { cacheDirectory } = workerSettings();
    const sandbox = await openSandbox('where-available', { cacheDirectory, environment, install: 'never' });
    const verifier = await openVerifier({
      ...{ environment, sandbox, libraryHeader: '', processes: 1, cacheDirectory: null, scratchDirectory },
    });
    const results = await verifier.check([
      { ...common, id: 'own theorem', proof: '  exact two_le' },
      { ...common, id: 'theorem of a package', proof: '  exact Order.self 2' },
      { ...common, id: 'wrong', proof: '  exact Order.self 3' },
      { ...common, id: 'unbuilt package', header: 'import Unused', proof: '  exact two_le' },
    ]);
    await verifier.close();
    expect(results.map(({ id, kind }) => [id, kind])).toEqual([
      ['own theorem', 'proved'],
      ['theorem of a package', 'proved'],
      ['wrong', 'rejected'],
      ['unbuilt package', 'header_error'],
    ]);
  });

  it('is another environment when a module of a package changes, and when Lake notes another hash', async () => {
    const project = await makeProject();
    const identity = async (): Promise<string> => (await readLakeProject(project)).identity;
    const first = await identity();
    expect(await identity()).toBe(first);
    const olean = join(project, '.lake/packages/order/.lake/build/lib/lean/Order/Basic.olean');
    await writeFile(`${olean}.hash`, '0123456789abcdef');
    const noted = await identity();
    await writeFile(`${olean}.hash`, 'fedcba9876543210');
    expect(new Set([first, noted, await identity()]).size).toBe(3);
    await rm(`${olean}.hash`);
    expect(await identity()).toBe(first);
    await writeFile(`${olean.slice(0, -'.olean'.length)}.olean.private`, 'more of the module');
    expect(await identity()).not.toBe(first);
  });

  it('gives no verdict, and keeps none, when it is built anew under a verifier', { tags: ['slow'] }, async () => {
    const project = await makeProject();
    const [scratchDirectory, cacheDirectory] = [await temporaryFolder(), await temporaryFolder()];
    const opened = async () =>
      openVerifier({
        ...{ environment: await withProject(project), libraryHeader: '', processes: 1 },
        ...{ cacheDirectory, scratchDirectory },
      });
    const asked = (proof: string) => [
      { id: 'a', header: 'import Local', statement: 'theorem t : Local.two = 2', proof },
    ];
    const olean = join(project, 'local/.lake/build/lib/lean/Local.olean');
    const before = await opened();
    expect(await before.check(asked('  rfl'))).toMatchObject([{ kind: 'proved' }]);
    await writeFile(join(project, 'source.lean'), 'def Local.two : Nat := 3\n');
    await execa(lean.executable, [`--root=${project}`, '-o', olean, join(project, 'source.lean')]);
    // What the verifier knows by heart is not said either, though an answer may be a second late.
    await vi.waitFor(async () => expect(await before.check(asked('  rfl'))).toMatchObject([{ kind: 'infra' }]), {
      timeout: 30_000,
    });
    const [found] = await before.check(asked('  decide'));
    expect(found).toMatchObject({ kind: 'infra', messages: [{ text: expect.stringContaining('built anew') }] });
    await before.close();
    const after = await opened();
    expect(await after.check([...asked('  rfl'), ...asked('  decide')])).toMatchObject([
      { kind: 'rejected' },
      { kind: 'rejected' },
    ]);
    await after.close();
  });

  it.each([
    ['lean-toolchain', 'leanprover/lean4:v4.9.0\n', 'it asks for leanprover/lean4:v4.9.0'],
    ['.lake/build/lib/lean/Algebra.olean', 'no module', '`import Algebra` fails'],
    ['lake-manifest.json', '{"packages": [{"type": "git"}]}', 'lake-manifest.json cannot be read'],
    ['lake-manifest.json', '{', 'lake-manifest.json cannot be read'],
  ])('is refused with the reason where %s is %j', async (file, text, reason) => {
    const project = await makeProject();
    await writeFile(join(project, file), text);
    const error = await withProject(project).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'STP1201', message: expect.stringContaining(reason) as string });
  });

  it('is refused where it is not there, or not built', async () => {
    const empty = await temporaryFolder();
    await expect(readLakeProject(empty)).rejects.toThrow('there is no lean-toolchain');
    await writeFile(join(empty, 'lean-toolchain'), 'leanprover/lean4:v4.28.0');
    await writeFile(join(empty, 'lake-manifest.json'), JSON.stringify({ packages: [] }));
    await expect(readLakeProject(empty)).rejects.toThrow('no compiled modules');
    await expect(readLakeProject('mathlib')).rejects.toThrow('not an absolute path');
  });

  it("is checked with elan's Lean of its toolchain where none is named", async () => {
    const project = await readLakeProject(await makeProject());
    const elan = await temporaryFolder();
    const variables = { ELAN_HOME: elan, PATH: '/usr/bin' };
    expect(await variablesForProject(project, variables)).toEqual(variables);
    const folder = project.toolchain.replace('/', '--').replace(':', '---');
    const executable = join(elan, 'toolchains', folder, 'bin', 'lean');
    await mkdir(dirname(executable), { recursive: true });
    await writeFile(executable, '');
    expect(await variablesForProject(project, variables)).toEqual({ ...variables, STP_LEAN: executable });
    const named = { ...variables, STP_LEAN: '/opt/lean' };
    expect(await variablesForProject(project, named)).toEqual(named);
  });
});
