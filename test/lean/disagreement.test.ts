/**
 * Two kernels that disagree: Lean is real, the second one's verdict is a double's. What is refused, what is said, and what is
 * kept for a person. Some three seconds.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { secondKernel } from '../../lean/certificate/second-kernel.ts';
import { checkFile } from '../../lean/check-file.ts';
import { DEFAULT_LIMITS } from '../../lean/kernel/budget.ts';
import type * as InThread from '../../lean/kernel/olean/check-module-in-thread.ts';
import { checkModuleInThread } from '../../lean/kernel/olean/check-module-in-thread.ts';
import type { CheckedTheorem, ModuleReport } from '../../lean/kernel/olean/report.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

vi.mock('../../lean/kernel/olean/check-module-in-thread.ts', { spy: true });

const FILE = 'theorem Kept.one (a b : Nat) : a + b = b + a := Nat.add_comm a b\ntheorem Kept.two : 1 + 1 = 2 := rfl\n';
const environment = await coreEnvironment();
const folder = scratchFolder();
const kept = join(folder, 'disagreements');
const said = vi.spyOn(console, 'error').mockImplementation(() => {});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => said.mockClear());
afterEach(() => rmSync(kept, { recursive: true, force: true }));

function theorem(name: string, verdict: CheckedTheorem['verdict']): CheckedTheorem {
  return { name, verdict, message: verdict === 'accepted' ? '' : 'the types differ', ownAxioms: [], libraryAxioms: [] };
}

function report(theorems: readonly CheckedTheorem[]): ModuleReport {
  const rejected = theorems.filter(({ verdict }) => verdict === 'rejected');
  return {
    verdict: rejected.length > 0 ? 'rejected' : 'accepted',
    declarations: theorems.length,
    setAside: 0,
    theorems,
    rejected: rejected.map(({ name, message }) => ({ declaration: name, rule: 'declaration-type', message })),
    declined: [],
  };
}

async function check(keptFolder: string | null) {
  const path = join(folder, 'File.lean');
  writeFileSync(path, FILE);
  return checkFile(path, environment, { scratchDirectory: folder, checkers: [secondKernel(keptFolder)] });
}

test('the theorem is refused, both kernels are named as the suspects, and the module is kept whole', async () => {
  const double = report([theorem('Kept.one', 'accepted'), theorem('Kept.two', 'rejected')]);
  vi.mocked(checkModuleInThread).mockResolvedValueOnce(double);
  const { theorems, checks } = await check(kept);
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected']);
  expect(theorems[1]).toMatchObject({
    message: 'second kernel refuses it: the types differ',
    refusedBy: ['second kernel'],
  });
  expect(checks.at(-1)).toMatchObject({ by: 'second kernel', outcome: 'refused' });
  const [module] = readdirSync(kept);
  const path = join(kept, module!);
  expect(said).toHaveBeenCalledOnce();
  const message = String(said.mock.calls[0]![0]);
  expect(message).toContain('STP1802');
  expect(message).toContain(`kept as ${path}`);
  expect(message).toContain('the types differ (rule: declaration-type)');
  // A person can look at what is kept: with the kernel itself, which is at one with Lean here.
  const actual = await vi.importActual<typeof InThread>('../../lean/kernel/olean/check-module-in-thread.ts');
  const [{ searchPath }] = vi.mocked(checkModuleInThread).mock.calls[0]!;
  const again = await actual.checkModuleInThread({ path, searchPath, fuel: DEFAULT_LIMITS.fuel });
  expect(Object.fromEntries(again.theorems.map(({ name, verdict }) => [name, verdict]))).toEqual({
    'Kept.one': 'accepted',
    'Kept.two': 'accepted',
  });
});

test('a rejection of something that no theorem names leaves none accepted, and says where nothing was kept', async () => {
  const double = report([theorem('Kept.one', 'accepted'), theorem('Kept.two', 'accepted'), theorem('aux', 'rejected')]);
  vi.mocked(checkModuleInThread).mockResolvedValueOnce(double);
  const { theorems } = await check(null);
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['unchecked', 'unchecked']);
  expect(String(said.mock.calls[0]![0])).toContain('it was not kept');
  expect(existsSync(kept)).toBe(false);
});

test('kernels that agree say and keep nothing', async () => {
  const { theorems } = await check(kept);
  expect(theorems.map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted']);
  expect(said).not.toHaveBeenCalled();
  expect(existsSync(kept)).toBe(false);
});
