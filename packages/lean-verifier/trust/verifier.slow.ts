/**
 * Tests the verifier over language servers, and a Lean that cannot be started, which is retried for half a minute.
 * Takes about a minute.
 *
 * @module-tag slow
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../../test/support/processes.ts';
import {
  COMMUTES,
  candidate,
  environment,
  HEAVY,
  honest,
  kindsOf,
  LEAN_LOADED_BYTES,
  open,
} from '../testing/opened-verifier.ts';

test('a Lean that cannot be started is infra, for proofs and statements', async () => {
  const verifier = await open({ environment: { ...environment, executable: '/nonexistent/lean' } });
  const results = await verifier.check([candidate('a', '  omega'), candidate('b', '  sorry')]);
  expect(kindsOf(results)).toEqual({ a: 'infra', b: 'sorry' });
  const [statement] = await verifier.checkStatements([{ id: 'a', header: null, statement: COMMUTES }]);
  expect(statement!.kind).toBe('infra');
});

test('over language servers every kind of candidate gets the verdict that it gets over batches, and none disturbs another', async () => {
  const runMark = `test-${randomBytes(6).toString('hex')}`;
  const verifier = await open({ driver: 'server', runMark, candidateTimeoutMs: 1_500 });
  const needsMore = 'theorem t : ∀ x : Fin 40, ∀ y : Fin 30, x.val * y.val = y.val * x.val';
  const candidates = [
    ...honest(3),
    HEAVY,
    candidate('wrong', '\n      skip\n      exact Nat.add_assoc a b'),
    candidate('sorry', '  first | sorry | skip'),
    candidate('loop', '  repeat skip'),
    { ...candidate('opened', '  exact (zero_le _ : 0 ≤ a)', 'theorem opened (a : Nat) : 0 ≤ a'), header: 'open Nat' },
    { ...candidate('no module', '  omega'), header: 'import No.Such.Module' },
    candidate('needs the big class', '  set_option maxRecDepth 10000 in\n  decide', needsMore),
    candidate('ill stated', '  rfl', 'theorem ill : nonsense = 2'),
    ...honest(6).slice(3),
  ];
  const reported: string[] = [];
  const results = await verifier.check(candidates, { onResult: ({ id }) => reported.push(id) });
  expect(kindsOf(results)).toEqual({
    ...Object.fromEntries(honest(6).map(({ id }) => [id, 'proved'])),
    heavy: 'timeout',
    wrong: 'rejected',
    sorry: 'sorry',
    loop: 'timeout',
    opened: 'proved',
    'no module': 'header_error',
    'needs the big class': 'proved',
    'ill stated': 'header_error',
  });
  expect(reported.toSorted()).toEqual(candidates.map(({ id }) => id).toSorted());
  expect(results[4]!.messages[0]).toMatchObject({ severity: 'error', line: 3, column: 6 });
  expect(results[0]).toMatchObject({ driver: 'server', fromCache: false });
  expect(results[0]!.peakResidentBytes).toBeGreaterThan(LEAN_LOADED_BYTES / 2);
  const [certified] = await verifier.check(honest(1), { alone: true });
  expect(certified!.kind).toBe('proved');
  const statements = ['theorem a : 1 = 2', 'theorem b : nonsense', 'theorem c (n : Nat) : n = n'];
  const stated = await verifier.checkStatements(
    statements.map((statement, index) => ({ id: String(index), header: null, statement })),
  );
  expect(stated.map(({ kind }) => kind)).toEqual(['accepted', 'rejected', 'accepted']);
  await verifier.close();
  expect(markedProcesses(runMark)).toEqual([]);
});
