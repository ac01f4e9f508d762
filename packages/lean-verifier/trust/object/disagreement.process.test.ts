/**
 * Two kernels that disagree: Lean is real, and the test changes the second kernel's verdict. Tests what is refused,
 * what is reported, and what is kept for a person. Some three seconds.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModuleReport } from '@stp/lean-kernel';
import { checkModuleInThread } from '@stp/lean-kernel/thread';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { claimOf } from '../../testing/claim.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { checkFile } from '../check-file.ts';
import { limitClasses } from '../verdict/limits.ts';
import type { Confirmation } from './compile-claims.ts';
import { confirmProofs } from './confirm-proofs.ts';
import { keepDisagreements } from './disagreement.ts';

vi.mock('../../../lean-kernel/olean/check-module-in-thread.ts', { spy: true });

const CLAIMS = [
  claimOf(' (a b : Nat) : a + b = b + a', '  exact Nat.add_comm a b'),
  claimOf(' : 1 + 1 = 2', '  rfl', 'other'),
];
const environment = await coreEnvironment();
const folder = scratchFolder();
const kept = join(folder, 'disagreements');
const said = vi.fn<(text: string) => void>();
const actual = await vi.importActual<typeof import('@stp/lean-kernel/thread')>(
  '../../../lean-kernel/olean/check-module-in-thread.ts',
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => said.mockClear());
afterEach(() => rmSync(kept, { recursive: true, force: true }));

/** Replaces the verdict on one constant in the kernel's next report. */
function says(name: string | RegExp, verdict: 'rejected' | 'declined'): void {
  vi.mocked(checkModuleInThread).mockImplementationOnce(async (...call): Promise<ModuleReport> => {
    const report = await actual.checkModuleInThread(...call);
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

const passes = (): void => void vi.mocked(checkModuleInThread).mockImplementationOnce(actual.checkModuleInThread);

function confirm(claims = CLAIMS): Promise<readonly Confirmation[]> {
  return confirmProofs('', claims, {
    processContext: { environment, workingDirectory: folder },
    scratchDirectory: folder,
    limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
    writtenUnder: '',
    indexFolder: null,
    onDisagreement: keepDisagreements(kept, (error) => said(error.toText())),
    signal: AbortSignal.timeout(280_000),
  });
}

test('the theorem is refused, both kernels are named as the suspects, and the module is kept whole', async () => {
  // The kernel reads the module of both proofs, then that of the unblamed proof, then that of the suspect.
  says(/_proof1$/, 'rejected');
  passes();
  says(/_proof0$/, 'rejected');
  const found = await confirm();
  expect(found.map(({ kind, reason, isDisagreement }) => [kind, reason, isDisagreement])).toEqual([
    ['proved', '', undefined],
    ['rejected', 'the second kernel refuses it: the types differ', true],
  ]);
  const [module] = readdirSync(kept);
  const path = join(kept, module!);
  expect(said).toHaveBeenCalledOnce();
  const message = String(said.mock.calls[0]![0]);
  expect(message).toContain('STP1802');
  expect(message).toContain(`kept as ${path}`);
  expect(message).toContain('the types differ (rule: declaration-type)');
  // A person can examine the stored module with the kernel itself, which agrees with Lean here.
  const [{ searchPath, fuel }] = vi.mocked(checkModuleInThread).mock.calls[0]!;
  const again = await actual.checkModuleInThread({ path, searchPath, fuel });
  expect(again.constants.map(({ name, verdict }) => [name.replace(/^_stp[0-9a-f]+/, ''), verdict])).toEqual([
    ['_proof0', 'accepted'],
  ]);
});

test('a theorem that the second kernel cannot decide is not proved, and its neighbour has a record of its own', async () => {
  says(/_proof0$/, 'declined');
  const [first, second] = await confirm();
  expect(first).toEqual({
    kind: 'timeout',
    reason: 'the second kernel could not decide it: the types differ',
    axioms: [],
  });
  expect(second).toMatchObject({ kind: 'proved', reason: '' });
  expect(second!.judgement!.checks.map(({ by, outcome }) => [by, outcome])).toEqual([
    ['lean', 'accepted'],
    ['object', 'accepted'],
    ['second kernel', 'accepted'],
    ['leanchecker', 'absent'],
  ]);
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
    // The kernel reads the text's module first, and then the copy's.
    if (how === 'left out') {
      vi.mocked(checkModuleInThread).mockImplementationOnce((...call) => actual.checkModuleInThread(...call));
      vi.mocked(checkModuleInThread).mockImplementationOnce(async (...call): Promise<ModuleReport> => {
        const report = await actual.checkModuleInThread(...call);
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
  expect((await confirm()).map(({ kind }) => kind)).toEqual(['proved', 'proved']);
  expect(said).not.toHaveBeenCalled();
  expect(existsSync(kept)).toBe(false);
});
