/**
 * The published client of Kimina's Lean server works against ours by its URL alone: the client's own test, the statuses it
 * tells snippets apart by, its batches, its asynchronous half, the first version of the contract; and a validator of OpenAPI
 * documents passes ours. Costs about 15 s of CPU, and as much again the first time.
 */

import { serveLean } from '@stp/lean-verifier/testing-hooks';
import { expect, it } from 'vitest';
import { smallPython } from './small-environment.ts';

const python = await smallPython('kimina', "the published client of Kimina's server");

it.skipIf(python === null)('kimina-client', { tags: ['slow'] }, async () => {
  const { server, failures } = await serveLean({ driver: 'server', keys: ['secret'] });
  const found = (await python!('kimina.py', {
    url: server.url,
    key: 'secret',
    snippets: [
      'theorem a (n : Nat) : n + 0 = n := by simp',
      'import Init\n\ntheorem a : 1 = 2 := by\n  sorry',
      'theorem a (n : Nat) : n + 1 = n := by simp',
      'import Nowhere\ntheorem a : 1 = 1 := rfl',
      'theorem a : 1 = 2 := sorryAx _ false',
      '/- a comment that does not end',
    ],
    slow: 'example : ∀ n : Nat, n = n := by\n  set_option maxHeartbeats 0 in\n  intro n; repeat (have := n)',
  })) as Record<string, unknown>;
  const statuses = { 0: 'valid', 1: 'sorry', 2: 'lean_error', 3: 'lean_error', 4: 'sorry', 5: 'lean_error' };
  expect(found).toMatchObject({
    health: { status: 'ok' },
    statuses,
    batches: statuses,
    fresh: statuses,
    asynchronously: statuses,
    slow: 'timeout_error',
    stranger: 'server_error',
  });
  expect((found.diagnostics as string[][])[0]).toEqual(expect.arrayContaining(['cpu_max', 'memory_max', 'repl_uuid']));
  const first = found.first as Record<string, object>;
  expect(first[0]).toMatchObject({ has_error: false, is_valid_no_sorry: true, time: expect.any(Number) });
  expect(first[2]).toMatchObject({ has_error: true, is_valid_no_sorry: false });
  expect(failures).toEqual([]);
});
