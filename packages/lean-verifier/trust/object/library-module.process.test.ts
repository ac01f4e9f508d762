/**
 * Modules of a grown library, held to the rules of proofs: what Lean compiles and the judge must refuse, by texts that no
 * screen has seen. Real Lean; some ten seconds of a core.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import type { GrownTheorem } from '../kept-theorem.ts';
import { judgeLibraryModule, type LibraryJudgement } from './library-module.ts';

const environment = await coreEnvironment();
const sandbox = (await machineSandbox(environment)) ?? undefined;
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const theorem = (name: string, type: string): GrownTheorem => ({
  ...{ name, generation: 0, header: 'import Init', statement: `theorem t${type}`, proof: 'rfl', marks: ['simp'] },
});
const TRUE = theorem('Grown.g1', ' (n : Nat) : n + 0 = n');
const FALSE = theorem('Grown.g2', ' : (1 : Nat) = 2');
const HONEST = 'theorem g1 (n : Nat) : n + 0 = n := by rfl';
const MARKS = 'namespace marked1\nattribute [scoped simp] Grown.g1\nend marked1';

let modules = 0;
function judge(theorems: readonly GrownTheorem[], ...texts: readonly string[]): Promise<LibraryJudgement> {
  const module = `StpGrownTest${modules++}`;
  const source = `${['import Init', 'namespace Grown', ...texts, 'end Grown'].join('\n')}\n`;
  return judgeLibraryModule(
    { module, header: 'import Init', source, theorems },
    {
      processContext: { environment, workingDirectory: folder, sandbox },
      directory: join(folder, module),
      indexFolder: null,
      onDisagreement: null,
    },
  );
}

test('of honest theorems and their marks is judged, and known by its bytes', async () => {
  expect(await judge([TRUE], HONEST, MARKS)).toEqual({ kind: 'judged', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('is refused by the name of the theorem that is another one, false, open or an axiom', async () => {
  const skipped = 'theorem g2 : (1 : Nat) = 2 := by set_option debug.skipKernelTC true in decide +kernel';
  const reasons: string[] = [];
  for (const text of [
    skipped,
    'axiom g2 : (1 : Nat) = 2',
    'theorem g2 : (1 : Nat) = 1 := rfl',
    'axiom cheat : (1 : Nat) = 2\ntheorem g2 : (1 : Nat) = 2 := cheat',
    'instance : OfNat Nat 2 := ⟨1⟩\ntheorem g2 : (1 : Nat) = 2 := rfl',
  ]) {
    const judged = await judge([TRUE, FALSE], HONEST, text);
    if (judged.kind !== 'refused') throw new Error(`${text}: ${judged.kind}`);
    expect([...judged.refused.keys()]).toEqual(['Grown.g2']);
    reasons.push(judged.refused.get('Grown.g2')!);
  }
  expect(reasons).toEqual([
    expect.stringMatching(/^the second kernel: /),
    'it is compiled as an axiom constant, not as a theorem',
    'it states something else than was to be proved',
    'it rests on Grown.cheat, which belongs to no proof',
    'it states something else than was to be proved',
  ]);
});

test('is refused as a whole for what belongs to no theorem', async () => {
  const judged = await judge([TRUE], HONEST, 'theorem extra : True := trivial');
  expect(judged).toEqual({
    kind: 'refused',
    refused: new Map(),
    objection: expect.stringMatching(/belongs to no proof/),
  });
});

test('is not compiled where a proof is open or in error, and the place is told', async () => {
  const open = await judge([TRUE, FALSE], HONEST, 'theorem g2 : (1 : Nat) = 2 := by sorry');
  expect(open).toMatchObject({ kind: 'not compiled', errors: [{ line: 4, severity: 'warning' }] });
  const wrong = await judge([TRUE, FALSE], HONEST, 'theorem g2 : (1 : Nat) = 2 := by rfl');
  expect(wrong).toMatchObject({ kind: 'not compiled', errors: [{ line: 4, severity: 'error' }] });
});
