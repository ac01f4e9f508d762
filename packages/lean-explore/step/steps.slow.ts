/**
 * Long tests of the step API: two hundred steps in one process, and a search that proves library theorems. Takes about
 * 30 s of one core.
 *
 * @module-tag slow
 */

import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { readResources } from '@stp/lean-verifier/testing';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import { extractLibrary } from '../library/extract.ts';
import { bestFirst } from '../testing/best-first.ts';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '../testing/library.ts';
import { LIMITS, open, runMark, start, verifierOf } from '../testing/opened-steps.ts';

test('the process is one for two hundred steps, and does not grow with them', async () => {
  const steps = open();
  const root = await start(steps, 'theorem t (a b c : Nat) (h : a = b) : a + c + 0 = b + c');
  let [state, after20] = [root, 0];
  for (let count = 1; count <= 200; count += 1) {
    const tactic = count % 3 === 0 ? 'exact nonsense' : `have h${count} : a + ${count} = b + ${count} := by rw [h]`;
    const result = await state.run(tactic, LIMITS);
    expect(result.kind).toBe(count % 3 === 0 ? 'invalid' : 'open');
    // Follow a branch for ten steps, then start another from the root.
    state = result.kind === 'open' && count % 15 !== 0 ? result.state : count % 15 === 0 ? root : state;
    if (count === 20) after20 = residentBytes();
  }
  expect(markedProcesses(runMark).length).toBe(1);
  expect(steps.starts).toBe(1);
  expect(residentBytes() - after20).toBeLessThan(150_000_000);
});

function residentBytes(): number {
  return readResources(markedProcesses(runMark)[0]!)!.residentBytes;
}

test('a best-first search proves theorems of the library', async () => {
  const environment = await libraryEnvironment();
  const { theorems } = await extractLibrary(LIBRARY_DIRECTORY);
  const wanted = ['monus_succ_self', 'or_over_and', 'mapl_eq_map', 'sumList_app', 'andb_true_left'];
  const tactics = [
    'assumption',
    'rfl',
    'simp_all',
    'simp_all [app_nil_left, app_cons, sumList_nil, sumList_cons, mapl_cons, Nat.add_assoc]',
    'constructor',
    'cases h',
    'cases a',
    'induction n',
    'induction xs',
    'induction ms',
  ];
  const verifier = await verifierOf(environment, LIBRARY_HEADER);
  const steps = open({ environment, libraryHeader: LIBRARY_HEADER });
  for (const name of wanted) {
    const theorem = theorems.find((one) => one.name === `Stp.${name}`)!;
    const { proof } = await bestFirst(await start(steps, theorem.statement), tactics, 120);
    expect(proof, name).not.toBeNull();
    expect(await proof!.finish(verifier), name).toMatchObject({ kind: 'proved', axioms: [] });
  }
  expect(steps.starts).toBe(1);
});
