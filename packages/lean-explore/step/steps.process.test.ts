/**
 * The step API over a real language server: goals, states as values, what a step may do to the process, and that the check
 * of the whole proof decides. About twenty seconds of one core. Long searches are in `steps.slow.ts`.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { markedProcesses, untilMarked } from '../../../test/support/processes.ts';
import {
  core,
  LIMITS,
  open,
  runMark,
  start,
  stateOf,
  step,
  verifierOf,
  workingDirectory,
} from '../testing/opened-steps.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

/** Memory of Lean after its imports. */
const LEAN_LOADED_BYTES = 200_000_000;
/** A proof for which the kernel counts down a hundred million: it takes minutes and gigabytes. */
const HEAVY = {
  statement: 'theorem heavy : (List.range 100000000).length = 3 ∨ True',
  tactic: '  left; decide +kernel',
};

describe('goals', () => {
  test('are data and text', async () => {
    const state = await start(open(), 'theorem t (p q : Prop) (hp : p) (𝔸 : q) : p ∧ q');
    const split = await state.run('constructor', LIMITS);
    expect(split).toMatchObject({ kind: 'open', messages: [] });
    expect(split.goals).toEqual(
      [
        ['left', 'p'],
        ['right', 'q'],
      ].map(([name, target]) => ({
        name,
        hypotheses: [
          { names: ['p', 'q'], type: 'Prop' },
          { names: ['hp'], type: 'p' },
          { names: ['𝔸'], type: 'q' },
        ],
        target,
        text: `case ${name}\np q : Prop\nhp : p\n𝔸 : q\n⊢ ${target}`,
      })),
    );
    const named = await step(stateOf(split), 'let two := 1 + 1');
    expect(named.goals[0]!.hypotheses.at(-1)).toEqual({ names: ['two'], type: 'Nat', value: '1 + 1' });
  });

  test('of a header and a statement that Lean or the screen refuses are not opened', async () => {
    const steps = open();
    const why = async (header: string | null, statement: string) => {
      const goal = await steps.openGoal(header, statement, LIMITS);
      return goal.kind === 'invalid' ? [goal.why, goal.messages.length > 0] : goal.kind;
    };
    expect(await why('import No.Such.Module', 'theorem t : 1 = 1')).toEqual(['header_error', true]);
    expect(await why('axiom false : False', 'theorem t : 1 = 1')).toEqual(['header_error', true]);
    expect(await why(null, 'theorem t : nonsense = 1')).toEqual(['header_error', true]);
    expect(await why(null, 'theorem t : 1 = 1 := rfl theorem u : 1 = 1')).toEqual(['forbidden', true]);
    expect(await why('open Nat', 'theorem t (n : Nat) : n = succ n')).toBe('open');
    expect(await why(null, 'theorem t (n : Nat) : n = Nat.succ n')).toBe('open');
  });
});

describe('states', () => {
  test('are values: tactics run from each, in any order', async () => {
    const steps = open();
    const root = await start(steps, 'theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ p');
    const split = await step(root, 'constructor');
    const [left, both] = [await step(split, 'exact hp'), await step(await step(split, 'exact hp'), 'constructor')];
    expect(split.goals.map(({ target }) => target)).toEqual(['p', 'q ∧ p']);
    expect((await root.run('exact ⟨hp, hq, hp⟩', LIMITS)).kind).toBe('done');
    expect(left.goals.map(({ target }) => target)).toEqual(['q ∧ p']);
    expect((await left.run('exact ⟨hq, hp⟩', LIMITS)).kind).toBe('done');
    expect((await split.run('exact hq', LIMITS)).kind).toBe('invalid');
    expect((await both.run('all_goals assumption', LIMITS)).kind).toBe('done');
    expect((await split.run('all_goals simp [hp, hq]', LIMITS)).kind).toBe('done');
    expect(both.tactics).toEqual(['  constructor', '  exact hp', '  constructor']);
    // Another goal under another header, and then back.
    const other = await start(steps, 'theorem t (n : Nat) : n = n', 'open Nat');
    expect((await other.run('rfl', LIMITS)).kind).toBe('done');
    expect((await left.run('exact ⟨hq, hp⟩', LIMITS)).kind).toBe('done');
  });

  test('tell what is wrong with a tactic, and where in it', async () => {
    // A `repeat` over unparsable text continues until its heartbeats are used up.
    const steps = open({ heartbeatsMax: 2_000 });
    const state = await step(await start(steps, 'theorem t (a b : Nat) : a + b = b + a ∧ 1 = 1'), 'constructor');
    const whys: Record<string, string | undefined> = {};
    for (const tactic of [
      'exact nonsense',
      'simp [',
      '· skip',
      'sorry',
      'omega\n#eval 1',
      'skip\ntheorem u : 1 = 1 := rfl',
      '  repeat\n    foo bar',
      '-- nothing',
    ]) {
      const result = await state.run(tactic, LIMITS);
      whys[tactic] = result.kind === 'invalid' ? result.why : result.kind;
    }
    expect(whys).toEqual({
      'exact nonsense': 'rejected',
      'simp [': expect.stringMatching(/^(rejected|forbidden)$/),
      '· skip': 'rejected',
      sorry: 'sorry',
      'omega\n#eval 1': 'forbidden',
      'skip\ntheorem u : 1 = 1 := rfl': 'forbidden',
      '  repeat\n    foo bar': expect.stringMatching(/^(rejected|timeout)$/),
      '-- nothing': 'forbidden',
    });
    const wrong = await state.run('\n      skip\n      exact 𝔸 nonsense', LIMITS);
    expect(wrong.messages[0]).toMatchObject({ severity: 'error', line: 3, column: 12 });
    expect((await state.run('omega', LIMITS)).goals.map(({ target }) => target)).toEqual(['1 = 1']);
  });
});

describe('the process', () => {
  test('is cut where a step runs away, and the state goes on in a new one', async () => {
    const steps = open();
    const state = await step(await start(steps, HEAVY.statement), 'skip');
    expect(steps.starts).toBe(1);
    const runaway = await state.run(HEAVY.tactic, { deadlineMs: 800 });
    expect(runaway).toMatchObject({ kind: 'invalid', why: 'timeout' });
    // It ends after 800 ms of processor time, or after eight seconds of waiting.
    expect(runaway.cpuMs).toBeGreaterThan(100);
    expect(markedProcesses(runMark)).toEqual([]);
    expect((await state.run('right', LIMITS)).goals.map(({ target }) => target)).toEqual(['True']);
    expect(steps.starts).toBe(2);
  });

  test('ends with an abort or by somebody else, and the state goes on', async () => {
    const steps = open();
    const state = await start(steps, HEAVY.statement);
    const stop = new AbortController();
    const aborted = expect(state.run(HEAVY.tactic, { deadlineMs: 60_000, signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    const [pid] = await untilMarked(runMark, LEAN_LOADED_BYTES);
    stop.abort(new Error('enough'));
    await aborted;
    expect(markedProcesses(runMark)).toEqual([]);
    const killed = state.run(`${HEAVY.tactic} -- again`, { deadlineMs: 60_000 });
    for (const other of await untilMarked(runMark, LEAN_LOADED_BYTES)) {
      expect(other).not.toBe(pid);
      process.kill(other, 'SIGKILL');
    }
    expect(await killed).toMatchObject({ kind: 'invalid', why: 'infra' });
    expect((await state.run('right; trivial', LIMITS)).kind).toBe('done');
  });

  test('closing rejects what runs and what waits', async () => {
    const steps = open();
    const state = await start(steps, HEAVY.statement);
    const running = [state.run(HEAVY.tactic, LIMITS), state.run('right', LIMITS)];
    const rejected = running.map((one) => expect(one).rejects.toMatchObject({ code: 'STP1203' }));
    await steps.close();
    await Promise.all(rejected);
  });
});

test('the check of the whole proof decides, also against the steps', async () => {
  const directory = mkdtempSync(join(workingDirectory, 'library-'));
  writeFileSync(join(directory, 'Cheat.lean'), 'axiom Nat.cheat : (1 : Nat) = 2\n');
  await execa(core.executable, ['-o', 'Cheat.olean', 'Cheat.lean'], { cwd: directory });
  const environment = { ...core, searchPath: [directory] };
  const verifier = await verifierOf(environment, 'import Cheat');
  const steps = open({ environment, libraryHeader: 'import Cheat' });
  const state = await start(steps, 'theorem t : (1 : Nat) = 2');
  const done = await state.run('exact Nat.cheat', LIMITS);
  expect(done.kind).toBe('done');
  expect(await stateOf(done).finish(verifier)).toMatchObject({ kind: 'rejected', axioms: ['Nat.cheat'] });
  // A text with remaining goals is no proof either.
  expect((await (await step(state, 'skip')).finish(verifier)).kind).toBe('rejected');
});
