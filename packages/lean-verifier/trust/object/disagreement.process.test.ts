/**
 * Two kernels that disagree: Lean is real, and the test changes the second kernel's verdict. Tests what is refused,
 * what is reported, and what is kept for a person. Some three seconds.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleReport } from '@stp/lean-kernel';
import { judgeInThread } from '@stp/lean-kernel/thread';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { checkFile } from '../check-file.ts';

vi.mock('../../../lean-kernel/olean/judge-in-thread.ts', { spy: true });

const FILE = 'theorem Kept.one (a b : Nat) : a + b = b + a := Nat.add_comm a b\ntheorem Kept.two : 1 + 1 = 2 := rfl\n';
const STATED = [
  { name: 'Kept.one', opens: '', signature: ' (a b : Nat) : a + b = b + a' },
  { name: 'Kept.two', opens: '', signature: ' : 1 + 1 = 2' },
];
const environment = await coreEnvironment();
const folder = scratchFolder();
const kept = join(folder, 'disagreements');
const said = vi.spyOn(console, 'error').mockImplementation(() => {});
const actual = await vi.importActual<typeof import('@stp/lean-kernel/thread')>(
  '../../../lean-kernel/olean/judge-in-thread.ts',
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => said.mockClear());
afterEach(() => rmSync(kept, { recursive: true, force: true }));

/** The kernel's own report, with another verdict on one constant. */
function says(name: string | RegExp, verdict: 'rejected' | 'declined'): void {
  vi.mocked(judgeInThread).mockImplementationOnce(async (...call): Promise<ModuleReport> => {
    const report = await actual.judgeInThread(...call);
    const message = 'the types differ';
    return {
      ...report,
      verdict,
      constants: report.constants.map((constant) =>
        (typeof name === 'string' ? constant.name === name : name.test(constant.name))
          ? { ...constant, verdict, message }
          : constant,
      ),
      rejected: verdict === 'rejected' ? [{ declaration: String(name), rule: 'declaration-type', message }] : [],
      declined: verdict === 'declined' ? [{ declaration: String(name), reason: message }] : [],
    };
  });
}

async function check(disagreementsFolder?: string) {
  const path = join(folder, 'File.lean');
  writeFileSync(path, FILE);
  const certificate = { stated: STATED, importLines: [] };
  const options = { scratchDirectory: folder, certificate };
  return checkFile(
    path,
    environment,
    disagreementsFolder === undefined ? options : { ...options, disagreementsFolder },
  );
}

test('the theorem is refused, both kernels are named as the suspects, and the module is kept whole', async () => {
  says('Kept.two', 'rejected');
  const { theorems, checks } = await check(kept);
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected']);
  expect(theorems[1]).toMatchObject({
    message: 'the second kernel refuses it: the types differ',
    refusedBy: ['second kernel'],
  });
  expect(checks.at(-2)).toMatchObject({ by: 'second kernel', outcome: 'refused' });
  const [module] = readdirSync(kept);
  const path = join(kept, module!);
  expect(said).toHaveBeenCalledOnce();
  const message = String(said.mock.calls[0]![0]);
  expect(message).toContain('STP1802');
  expect(message).toContain(`kept as ${path}`);
  expect(message).toContain('the types differ (rule: declaration-type)');
  // A person can look at what is kept: with the kernel itself, which is at one with Lean here.
  const [{ searchPath, fuel }] = vi.mocked(judgeInThread).mock.calls[0]!;
  const again = await actual.judgeInThread({ path, searchPath, fuel });
  expect(again.constants.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['Kept.one', 'accepted'],
    ['Kept.two', 'accepted'],
  ]);
});

test('a theorem that no kernel accepts is not accepted, though nothing speaks against it', async () => {
  says('Kept.one', 'declined');
  const { theorems, checks } = await check();
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['unchecked', 'accepted']);
  expect(theorems[0]).toMatchObject({
    message: 'no kernel accepted it: the types differ',
    declinedBy: ['second kernel'],
  });
  expect(checks.at(-2)).toMatchObject({ by: 'second kernel', outcome: 'declined' });
  expect(said).not.toHaveBeenCalled();
});

test.each([
  ['declined', 'no kernel accepted it: the types differ', 'accepted'],
  ['left out', 'line 2: this example left nothing that could be judged', 'unchecked'],
])('a checker of the module says nothing of an example that the second kernel %s', async (how, message, ofTheorem) => {
  const leanchecker = join(folder, 'leanchecker');
  writeFileSync(leanchecker, '#!/bin/sh\necho 4.35.0\nexit 0\n', { mode: 0o755 });
  vi.stubEnv('STP_LEANCHECKER', leanchecker);
  try {
    // The text's module first, and then the copy's.
    if (how === 'left out') {
      vi.mocked(judgeInThread).mockImplementationOnce((...call) => actual.judgeInThread(...call));
      vi.mocked(judgeInThread).mockImplementationOnce(async (...call): Promise<ModuleReport> => {
        const report = await actual.judgeInThread(...call);
        return { ...report, constants: report.constants.filter(({ name }) => !/_example/.test(name)) };
      });
    } else {
      // Something is left for the other checker to look at.
      says('Kept.one', 'declined');
      says(/_example/, 'declined');
    }
    const path = join(folder, 'File.lean');
    writeFileSync(path, 'theorem Kept.one : 1 = 1 := rfl\nexample : 2 = 2 := rfl\n');
    const { theorems, examples } = await checkFile(path, environment, { scratchDirectory: folder });
    expect(theorems.map(({ verdict }) => verdict)).toEqual([ofTheorem]);
    expect(examples).toMatchObject([{ verdict: 'unchecked', message }]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('kernels that agree say and keep nothing', async () => {
  const { theorems } = await check(kept);
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted']);
  expect(said).not.toHaveBeenCalled();
  expect(existsSync(kept)).toBe(false);
});
