/** The rules that CI relies on do fire: each is shown one file that breaks it. */
import { globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, vi } from 'vitest';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const repository = join(import.meta.dirname, '../..');
const run = (file: string, args: readonly string[]) =>
  execa(file, args, { cwd: repository, preferLocal: true, reject: false, all: true });

describe('lint', () => {
  it('refuses a promise that nobody waits for', { tags: ['slow'] }, async () => {
    const folder = 'test/fixtures/lint';
    const bad = await run('biome', ['lint', `--config-path=${folder}/rules.json`, `${folder}/floating-promise.ts`]);
    expect(bad.all).toContain('noFloatingPromises');
    expect(bad.all).toContain('floating-promise.ts:5:3');
    expect(bad.exitCode).toBe(1);
  });
});

describe('boundaries', () => {
  it('refuse a workflow that runs code from below or uses Node, an activity that uses another, packages that import from above or past an entry, and a kernel with a dependency', async () => {
    const bad = await run('depcruise', ['--config', '.dependency-cruiser.cjs', 'test/fixtures/boundaries']);
    expect(bad.exitCode).not.toBe(0);
    for (const [rule, file] of [
      ['workflows-are-deterministic', 'workflows/reads-a-file.ts'],
      ['workflows-are-deterministic', 'workflows/tests-itself.ts'],
      ['workflows-use-no-node', 'workflows/reads-a-file.ts'],
      ['activities-stand-alone', 'activities/control/begins.ts'],
      ['config-imports-nothing-above', 'packages/config/looks-up.ts'],
      ['packages-have-one-entry', 'packages/selfplay/index.ts'],
      ['testing-is-for-tests', 'workflows/tests-itself.ts'],
      ['lean-kernel-has-no-dependency', 'packages/lean-kernel/index.ts'],
      ['special-names-stay-together', 'packages/lean-kernel/knows-a-name.ts'],
    ])
      expect(bad.all).toContain(`${rule}: test/fixtures/boundaries/${file}`);
  });
});

describe('packages', () => {
  it('hold one protobufjs 8 for the Temporal SDK: with two of them payload types do not match', async () => {
    const { stdout } = await run('npm', ['ls', 'protobufjs', '--json', '--all']);
    const versions = new Map<string, Set<string>>();
    const walk = (
      node: { dependencies?: Record<string, { version?: string; dependencies?: object }> },
      path: string,
    ): void => {
      for (const [name, child] of Object.entries(node.dependencies ?? {})) {
        if (name === 'protobufjs' && child.version)
          versions.set(child.version, (versions.get(child.version) ?? new Set()).add(path));
        walk(child as never, `${path}/${name}`);
      }
    };
    walk(JSON.parse(stdout), '');
    expect([...versions.keys()].filter((version) => version.startsWith('8.'))).toEqual(['8.8.1']);
  });

  it('are installed without a word of warning, whatever Node runs npm', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stp-npm-'));
    for (const name of ['.npmrc', 'package.json', 'package-lock.json'])
      await copyFile(join(repository, name), join(folder, name));
    for (const path of globSync('packages/*/package.json', { cwd: repository })) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await copyFile(join(repository, path), join(folder, path));
    }
    const options = { cwd: folder, env: { PATH: '/usr/bin:/bin' }, all: true, reject: false } as const;
    const { all, exitCode } = await execa('npm', ['ci', '--dry-run', '--offline'], options);
    await rm(folder, { recursive: true });
    expect(all).not.toMatch(/^npm warn/im);
    expect(exitCode).toBe(0);
  });

  it('with scripts that run at the installation are all judged in package.json', async () => {
    const { allowScripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const { packages } = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
    };
    const scripted = Object.entries(packages).filter(
      ([, { hasInstallScript, optional }]) => hasInstallScript && !optional,
    );
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1)!);
    expect([...new Set(names)].sort()).toEqual(Object.keys(allowScripts).sort());
  });
});
