/** Compiling modules with real Lean: order, cache, names, two at once, and messages of failures. Lean: about 10 s. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectToolchain } from '@stp/lean-explore/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LeanEnvironment } from '../verifier.ts';
import { type CompileLibraryOptions, type CompileProgress, compileLibrary } from './compile.ts';
import { leanMessages } from './lean-messages.ts';
import { moduleName } from './modules.ts';

const toolchain = await projectToolchain();
const ENDED = /^\d+ \(.*\) [ZX] /;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'stp-compile-'));
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
}

function compile(options: Partial<CompileLibraryOptions> = {}): Promise<LeanEnvironment> {
  return compileLibrary({
    toolchain,
    sourceDirectories: [{ directory: path.join(root, 'library'), modulePrefix: 'Stp' }],
    cacheDirectory: path.join(root, 'cache'),
    ...options,
  });
}

async function errorsOf(environment: LeanEnvironment, input: string): Promise<readonly string[]> {
  const { executable, searchPath } = environment;
  const run = await leanMessages({ executable, searchPath, arguments: ['--stdin'], input, deadlineMs: 120_000 });
  expect(run.timedOut).toBe(false);
  return run.messages.filter(({ severity }) => severity === 'error').map(({ text }) => text);
}

const ONE = 'def one : Nat := 1\n';
const TWO = 'import Stp.Zed\n\n/- import Nothing -/\ntheorem two : one + one = 2 := by\n  rfl\n';

describe('a library that compiles', () => {
  test('is compiled in import order, has an umbrella, and is there the next time', async () => {
    await write({ 'library/Zed.lean': ONE, 'library/Alpha.lean': TWO });
    const progress: CompileProgress[] = [];
    const environment = await compile({ onProgress: (step) => progress.push(step) });
    expect(progress.map(({ module, done, total }) => [module, done, total])).toEqual([
      ['Stp.Zed', 1, 3],
      ['Stp.Alpha', 2, 3],
      ['Stp', 3, 3],
    ]);
    expect(environment).toMatchObject({ executable: toolchain.executable, version: toolchain.version });
    expect(await errorsOf(environment, 'import Stp\nexample : one + one = 2 := by\n  exact two\n')).toEqual([]);
    expect(await errorsOf(environment, 'import Stp\nexample : one + one = 3 := by\n  exact two\n')).not.toEqual([]);

    const again = await compile({ onProgress: () => expect.unreachable('compiled again') });
    expect(again).toEqual(environment);
  });

  test('two at once give one result and leave nothing else behind', async () => {
    await write({ 'library/Zed.lean': ONE, 'library/Alpha.lean': TWO });
    const [first, second] = await Promise.all([compile(), compile()]);
    expect(first).toEqual(second);
    expect(await readdir(path.join(root, 'cache/library'))).toEqual([first.fingerprint]);
  });

  test('a changed source or toolchain is another result', async () => {
    await write({ 'library/Zed.lean': ONE });
    const before = await compile();
    await write({ 'library/Zed.lean': `${ONE}-- remark\n` });
    const after = await compile();
    const other = await compile({ toolchain: { ...toolchain, identity: 'another' } });
    expect(new Set([before, after, other].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  test('a damaged result is made again', async () => {
    await write({ 'library/Zed.lean': ONE });
    const { searchPath } = await compile();
    await rm(path.join(searchPath[0]!, 'Stp/Zed.olean'));
    const environment = await compile();
    expect(await errorsOf(environment, 'import Stp\nexample : Nat := one\n')).toEqual([]);
  });

  test('definitions of problem sets are modules of their folders and may use the library', async () => {
    await write({
      'library/Zed.lean': ONE,
      'problems/isa-planner/Definitions.lean': 'import Stp\ndef Stp.Problems.three : Nat := one + 2\n',
      'problems/isa-planner/source.txt': 'not Lean',
    });
    const environment = await compile({
      sourceDirectories: [
        { directory: path.join(root, 'library'), modulePrefix: 'Stp' },
        { directory: path.join(root, 'problems'), modulePrefix: 'Stp.Problems' },
      ],
    });
    const input = 'import Stp.Problems.IsaPlanner\nexample : Stp.Problems.three = 3 := rfl\n';
    expect(await errorsOf(environment, input)).toEqual([]);
    expect(await errorsOf(environment, 'import Stp\nexample := Stp.Problems.three\n')).not.toEqual([]);
  });
});

describe('a library that does not compile', () => {
  const failure = (message: RegExp) => ({ code: 'STP1202', message: expect.stringMatching(message) });

  test('is an error with file, line and column, and leaves no result', async () => {
    await write({ 'library/Zed.lean': 'theorem a : True := by\n  trivial\n\ntheorem b : 1 = 2 := by\n  decide\n' });
    await expect(compile()).rejects.toMatchObject(failure(/library\/Zed\.lean:5:3: .*1 = 2/s));
    expect(await readdir(path.join(root, 'cache/library'))).toEqual([]);
  });

  test('sorry is refused', async () => {
    await write({ 'library/Zed.lean': 'theorem a : 1 = 2 := by\n  sorry\n' });
    await expect(compile()).rejects.toMatchObject(failure(/Zed\.lean:1:9: .*sorry/));
  });

  test('a circle of imports, a missing module, a bad name and two of a name say so before Lean starts', async () => {
    const broken = { ...toolchain, executable: '/nowhere/lean' };
    await write({ 'library/A.lean': 'import Stp.B\n', 'library/B.lean': 'import Stp.A\n' });
    await expect(compile({ toolchain: broken })).rejects.toMatchObject(failure(/Stp\.A → Stp\.B → Stp\.A/));
    await write({ 'library/B.lean': 'import Stp.Nowhere\n' });
    await expect(compile({ toolchain: broken })).rejects.toMatchObject(failure(/B\.lean imports Stp\.Nowhere/));
    await write({ 'library/B.lean': '', 'library/b.lean': '' });
    await expect(compile({ toolchain: broken })).rejects.toMatchObject(failure(/both are the module Stp\.B/));
    await rm(path.join(root, 'library/b.lean'));
    await write({ 'library/1+1.lean': '' });
    await expect(compile({ toolchain: broken })).rejects.toMatchObject(failure(/1\+1\.lean has no module name/));
  });

  test('a Lean that cannot be started is not called a broken library', async () => {
    await write({ 'library/Zed.lean': ONE });
    await expect(compile({ toolchain: { ...toolchain, executable: '/nowhere/lean' } })).rejects.toMatchObject({
      code: 'STP1203',
    });
  });

  test('cancelling ends the processes and rejects with the reason', async () => {
    await write({ 'library/Zed.lean': 'theorem a : True := by\n  repeat (first | skip)\n  trivial\n' });
    const cancel = new AbortController();
    const mark = `compile-test-${process.pid}`;
    const done = compile({ signal: cancel.signal, environment: { STP_RUN_MARK: mark } });
    await expect.poll(() => processesWithMark(mark), { timeout: 60_000 }).not.toEqual([]);
    cancel.abort(new Error('enough'));
    await expect(done).rejects.toThrow('enough');
    await expect.poll(() => processesWithMark(mark), { timeout: 60_000 }).toEqual([]);
  });
});

/** Running processes whose environment has the run mark; that Lean carries it is part of what is tested. */
async function processesWithMark(mark: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const isMarked = (await readFile(`/proc/${entry}/environ`, 'utf8')).split('\0').includes(`STP_RUN_MARK=${mark}`);
      if (isMarked && !ENDED.test(await readFile(`/proc/${entry}/stat`, 'utf8'))) found.push(entry);
    } catch {
      // The process has ended, or is not ours.
    }
  }
  return found;
}

test('module names come from paths', () => {
  expect(moduleName('Stp', 'Nat.lean')).toBe('Stp.Nat');
  expect(moduleName('Stp', 'trees/searchTrees.lean')).toBe('Stp.Trees.SearchTrees');
  expect(moduleName('Stp.Problems', 'isa-planner/Definitions.lean')).toBe('Stp.Problems.IsaPlanner');
  expect(moduleName('Stp.Problems', 'tip2015/more_of-it.lean')).toBe('Stp.Problems.Tip2015.MoreOfIt');
});
