/** Several tactics tried on a goal at once, over a real language server: they say what each would say alone. */
import { expect, test, vi } from 'vitest';
import { LIMITS, open, start, stateOf } from '../testing/opened-steps.ts';

/** The time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const STATEMENT =
  'theorem List.t {α : Type} (p : α → Bool) (xs ys : List α) : (xs ++ ys).length = xs.length + ys.length ∧ True';

test('each says what it says alone, wherever it stands among the others', async () => {
  const state = await start(open({ heartbeatsMax: 1_000 }), STATEMENT);
  const split = stateOf(await state.run('constructor', LIMITS));
  const tactics = [
    'rw [List.nothing_of_this_name]',
    'this is no tactic',
    'exact List.length_append',
    'unhygienic induction xs',
    'repeat (first | skip | skip)',
    'omega',
    'unhygienic\n  cases xs',
    'exact sorry',
  ];
  const { results } = await split.tryAll(tactics, { ...LIMITS, keepsProcess: true });
  expect(results.map(({ kind }) => kind)).toEqual([
    ...['invalid', 'invalid', 'open', 'open', 'invalid', 'invalid', 'open', 'invalid'],
  ]);
  for (const [at, tactic] of tactics.entries()) {
    const alone = await split.run(tactic, LIMITS);
    const result = results[at]!;
    expect([tactic, result.kind]).toEqual([tactic, alone.kind]);
    if (result.kind === 'open') {
      expect(result.state.tactics).toEqual(stateOf(alone).tactics);
      expect(result.state.goals.map(({ hypotheses }) => hypotheses.map(({ names }) => names))).toEqual(
        alone.goals.map(({ hypotheses }) => hypotheses.map(({ names }) => names)),
      );
    }
  }
});

test('goals have full names, the other goals stay, and the last one closed is a proof', async () => {
  const state = await start(open(), STATEMENT);
  const split = stateOf(await state.run('constructor', LIMITS));
  const both = await split.tryAll(['unhygienic cases xs', 'exact List.length_append'], LIMITS);
  const [cases, closed] = both.results.map((one) => (one.kind === 'invalid' ? null : one.state));
  expect(cases!.goals.map(({ target }) => target)).toEqual([
    '([] ++ ys).length = [].length + ys.length',
    '(head :: tail ++ ys).length = (head :: tail).length + ys.length',
    'True',
  ]);
  const last = await closed!.tryAll(['fail', 'trivial'], LIMITS);
  expect(last.results.map(({ kind }) => kind)).toEqual(['invalid', 'done']);
  const mapped = await start(open(), 'theorem List.u (f : Nat → Nat) : List.map f [] = []');
  const named = await mapped.tryAll(['skip'], LIMITS);
  expect(named.results.map((one) => (one.kind === 'invalid' ? one.why : one.state.goals[0]!.target))).toEqual([
    'List.map f [] = []',
  ]);
});
