/**
 * The verifier on real Lean: one verdict per candidate, for any effect of a candidate on its process, and the kept
 * verdicts. About a minute of one core. `verifier.slow.ts` has language servers, and a Lean that cannot start.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { markedProcesses, untilMarked } from '../../../test/support/processes.ts';
import {
  candidate,
  environment,
  HEAVY,
  honest,
  kindsOf,
  LEAN_LOADED_BYTES,
  open,
  scratchDirectory,
} from '../testing/opened-verifier.ts';

/** Loops go on until their heartbeats are used up, which takes Lean as long as it takes. */
vi.setConfig({ testTimeout: 280_000 });

describe('verdicts', () => {
  test('come in order, with premises, places in the proof as it came, and each is reported once', async () => {
    const verifier = await open({ premiseNames: ['Nat.add_comm', 'Nat.add_assoc', 'Nat.zero_le'], batchSize: 3 });
    const reported: string[] = [];
    const candidates = [
      candidate('proved', '  exact Nat.add_comm a b'),
      candidate('wrong', '\n      skip\n      exact Nat.add_assoc a b'),
      candidate('unknown', '  foo'),
      candidate('sorry', '  sorry'),
      candidate('opened', '  exact (zero_le _ : 0 ≤ a)', 'theorem opened (a : Nat) : 0 ≤ a'),
      candidate('same as proved', '  exact Nat.add_comm a b'),
      candidate('false', '  omega', 'theorem wrong : 1 = 2'),
      candidate('ill stated', '  rfl', 'theorem ill : nonsense = 2'),
      candidate('column 0', 'induction a with\n| zero => simp\n| succ n ih => omega'),
    ].map((one) => (one.id === 'opened' ? { ...one, header: 'open Nat' } : one));
    const results = await verifier.check(candidates, { onResult: ({ id }) => reported.push(id) });
    expect(results.map(({ id }) => id)).toEqual(candidates.map(({ id }) => id));
    expect(results.map(({ kind }) => kind)).toEqual([
      'proved',
      'rejected',
      'rejected',
      'sorry',
      'proved',
      'proved',
      'rejected',
      'header_error',
      'proved',
    ]);
    expect(reported.toSorted()).toEqual(candidates.map(({ id }) => id).toSorted());
    expect(results[0]!.premises).toEqual(['Nat.add_comm']);
    expect(results[4]!.premises).toEqual(['Nat.zero_le']);
    expect(results[1]!.messages[0]).toMatchObject({ severity: 'error', line: 3, column: 6 });
    for (const { kind, axioms } of results) if (kind === 'proved') expect(axioms).toEqual([]);
  });

  test('are the same where nobody asks why, with a place only where the place says something', async () => {
    const two = 'theorem two (a b : Nat) (h : a = b) : b = a ∧ a + 0 = b';
    const candidates = [
      candidate('by parts', '  constructor\n  · exact h.symm\n  · simp [h]', two),
      candidate('first part open', '  constructor\n  · simp\n  · simp [h]', two),
      candidate('second part open', '  constructor\n  · exact h.symm\n  · skip', two),
      candidate('both open', '  constructor <;> skip', two),
      candidate('cases', 'induction a with\n| zero => simp\n| succ n ih => omega'),
      candidate('one case missing', 'induction a with\n| zero => simp'),
      candidate('an alternative of its own', '  first\n  | exact nonsense\n  | omega'),
      candidate('only failing alternatives', '  first | exact nonsense | fail'),
      candidate('a block within', '  have h : a + b = b + a := by\n    omega\n  exact h'),
      candidate('a failing block within', '  have h : a + b = b + a := by\n    skip\n  exact h'),
      candidate('steps', '  calc a + b = b + a := by omega\n    _ = b + a := rfl'),
      candidate('under an opened namespace', '  open Nat in\n  exact Nat.add_comm a b'),
      candidate('ends the block', '  omega\n)\n(skip'),
      candidate('closes two', '  omega))'),
      candidate('an alternative too many', '  omega\n  | skip'),
      candidate('leaves a bracket open', '  exact (Nat.add_comm a b'),
      candidate('nothing', ''),
      candidate('runs away', '  repeat (have : 0 = 0 := rfl)'),
      candidate('false', '  omega', 'theorem wrong : 1 = 2'),
    ];
    const explained = await (await open()).check(candidates);
    const unexplained = await (await open()).check(candidates, { explains: () => false });
    expect(kindsOf(unexplained)).toEqual(kindsOf(explained));
    expect(new Set(explained.map(({ kind }) => kind))).toEqual(new Set(['proved', 'rejected', 'forbidden', 'timeout']));
    for (const [index, { kind, messages }] of unexplained.entries())
      if (kind === 'rejected') expect(messages.map(({ text }) => text)).toEqual(['Lean was not asked why it fails']);
      // Chance decides which bound is reached first, heartbeats or time; only a heartbeat timeout has a position.
      else if (kind !== 'timeout')
        expect(messages.map(({ line, column }) => [line, column])).toEqual(
          explained[index]!.messages.map(({ line, column }) => [line, column]),
        );
  });

  test('a header that cannot be imported is no fault of the proof', async () => {
    const verifier = await open();
    const [result] = await verifier.check([{ ...candidate('a', '  omega'), header: 'import No.Such.Module' }]);
    expect(result!.kind).toBe('header_error');
    expect(result!.messages[0]!.text).toContain('No');
  });

  test('more errors than Lean reports by itself are all attributed', { tags: ['slow'] }, async () => {
    const verifier = await open({ processes: 1, batchSize: 200 });
    const wrong = Array.from({ length: 130 }, (_, index) => candidate(`wrong ${index}`, `  exact nonsense${index}`));
    const results = await verifier.check([...wrong, ...honest(1)]);
    expect(results.map(({ kind }) => kind)).toEqual([...wrong.map(() => 'rejected'), 'proved']);
    expect(results[129]!.messages[0]!.text).toContain('nonsense129');
  });

  test('one candidate is no help to the next', async () => {
    const verifier = await open({ processes: 1 });
    const statement = 'theorem odd (f : Nat → Nat) (h : f 0 + f (f 2) = 3) : 2 * f 0 + f (f 2) = 3 + f 0';
    const results = await verifier.check([
      candidate('first', '  omega', statement),
      candidate('copycat', '  first | assumption | exact odd f h | exact _stp_proof0 f h', statement),
    ]);
    expect(kindsOf(results)).toEqual({ first: 'proved', copycat: 'rejected' });
  });

  test('a certificate is a check of its own in a fresh process', async () => {
    const cacheDirectory = mkdtempSync(join(scratchDirectory, 'cache-'));
    const verifier = await open({ cacheDirectory });
    const candidates = [candidate('a', '  omega'), candidate('b', '  rfl')];
    await verifier.check(candidates);
    const results = await verifier.check(candidates, { alone: true });
    expect(kindsOf(results)).toEqual({ a: 'proved', b: 'rejected' });
    expect(results.map(({ fromCache }) => fromCache)).toEqual([false, false]);
  });

  test('an axiom of our own library is not tolerated', async () => {
    const directory = mkdtempSync(join(scratchDirectory, 'library-'));
    writeFileSync(join(directory, 'Cheat.lean'), 'axiom Nat.cheat : (1 : Nat) = 2\n');
    await execa(environment.executable, ['-o', 'Cheat.olean', 'Cheat.lean'], { cwd: directory });
    const verifier = await open({
      environment: { ...environment, searchPath: [directory] },
      libraryHeader: 'import Cheat',
    });
    const [result] = await verifier.check([candidate('a', '  exact Nat.cheat', 'theorem a : (1 : Nat) = 2')]);
    expect(result).toMatchObject({ kind: 'rejected', axioms: ['Nat.cheat'] });
  });
});

describe('accidents', () => {
  test('a candidate that hangs is timed out alone and the rest is proved', { tags: ['slow'] }, async () => {
    const verifier = await open({ processes: 1, candidateTimeoutMs: 1_500 });
    const candidates = [...honest(3), HEAVY, ...honest(6).slice(3)];
    const results = await verifier.check(candidates);
    expect(results.map(({ kind }) => kind)).toEqual([
      'proved',
      'proved',
      'proved',
      'timeout',
      'proved',
      'proved',
      'proved',
    ]);
  });

  test('a call may give its proofs more time than the verifier does', { tags: ['slow'] }, async () => {
    const verifier = await open({ processes: 1, candidateTimeoutMs: 100 });
    const long = candidate(
      'long',
      '  set_option maxRecDepth 10000 in\n  decide',
      'theorem t : ∀ x : Fin 40, ∀ y : Fin 30, x.val * y.val = y.val * x.val',
    );
    const checked = async (candidateTimeoutMs?: number) =>
      kindsOf(await verifier.check([long], { heartbeatsMax: 20_000, smallLimitsOnly: true, candidateTimeoutMs }));
    expect(await checked()).toEqual({ long: 'timeout' });
    expect(await checked(60_000)).toEqual({ long: 'proved' });
  });

  test('a loop ends by its heartbeats, and one over text that does not parse is rejected', {
    tags: ['slow'],
  }, async () => {
    const verifier = await open({ processes: 1 });
    const candidates = [
      candidate('loop', '  repeat skip'),
      candidate('no tactic', '  repeat\n    foo bar\n  omega'),
      candidate(
        'needs the big class',
        '  set_option maxRecDepth 10000 in\n  decide',
        'theorem t : ∀ x : Fin 40, ∀ y : Fin 30, x.val * y.val = y.val * x.val',
      ),
      ...honest(1),
    ];
    const results = await verifier.check(candidates);
    expect(kindsOf(results)).toEqual({
      loop: 'timeout',
      'no tactic': 'rejected',
      'needs the big class': 'proved',
      'honest 0': 'proved',
    });
    const cheap = await verifier.check(candidates, { smallLimitsOnly: true });
    expect(kindsOf(cheap)).toEqual({ ...kindsOf(results), 'needs the big class': 'timeout' });
    // One verifier is asked under few heartbeats and under more at once.
    const [few, more] = await Promise.all(
      [1_000, null].map((heartbeatsMax) => verifier.check(candidates, { heartbeatsMax })),
    );
    expect(kindsOf(few!)).toEqual(kindsOf(cheap));
    expect(kindsOf(more!)).toEqual(kindsOf(results));
  });

  test('a candidate that eats memory is stopped alone and the rest is proved', { tags: ['slow'] }, async () => {
    const verifier = await open({ processes: 1, candidateTimeoutMs: 100_000, memoryBytesMax: 280_000_000 });
    const results = await verifier.check([...honest(2), HEAVY, ...honest(4).slice(2)]);
    expect(results.map(({ kind }) => kind)).toEqual(['proved', 'proved', 'oom', 'proved', 'proved']);
  });

  test('a process that is killed costs no verdict', async () => {
    const runMark = `test-${randomBytes(6).toString('hex')}`;
    const verifier = await open({ processes: 1, runMark });
    const checking = verifier.check(honest(60));
    for (const pid of await untilMarked(runMark, LEAN_LOADED_BYTES)) process.kill(pid, 'SIGKILL');
    const results = await checking;
    expect(results.filter(({ kind }) => kind !== 'proved')).toEqual([]);
    expect(markedProcesses(runMark)).toEqual([]);
  });

  test('abort rejects with its reason and leaves no process, and the verifier goes on', async () => {
    const runMark = `test-${randomBytes(6).toString('hex')}`;
    const verifier = await open({ runMark });
    const stop = new AbortController();
    const checking = verifier.check([HEAVY, { ...HEAVY, id: 'again', proof: '  skip\n  decide +kernel' }], {
      signal: stop.signal,
    });
    await untilMarked(runMark);
    stop.abort(new Error('enough'));
    await expect(checking).rejects.toThrow('enough');
    expect(markedProcesses(runMark)).toEqual([]);
    expect(kindsOf(await verifier.check(honest(1)))).toEqual({ 'honest 0': 'proved' });
  });

  test('close ends what runs', async () => {
    const runMark = `test-${randomBytes(6).toString('hex')}`;
    const verifier = await open({ runMark });
    const checking = expect(verifier.check([HEAVY])).rejects.toMatchObject({ code: 'STP1203' });
    await untilMarked(runMark);
    await verifier.close();
    await checking;
    expect(markedProcesses(runMark)).toEqual([]);
  });
});

describe('the cache', () => {
  test('answers what was judged, and nothing that was cut short, altered, or left open', async () => {
    const cacheDirectory = mkdtempSync(join(scratchDirectory, 'cache-'));
    const candidates = [...honest(3), candidate('wrong', '  rfl'), candidate('loop', '  repeat skip')];
    const first = await open({ cacheDirectory });
    const judged = await first.check(candidates);
    expect(judged.every(({ fromCache }) => !fromCache)).toBe(true);

    const file = join(cacheDirectory, readdirSync(cacheDirectory)[0]!);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBe(4);
    const forged = lines.find((line) => line.includes('"rejected"'))!.replace('"rejected"', '"proved"');
    const proved = lines.filter((line) => line.includes('"proved"'));
    writeFileSync(file, `${forged}\n${proved[0]}\n${proved[1]!.slice(0, -20)}\n`);
    appendFileSync(file, `${proved[2]}\n\0\0garbage\n`);

    const second = await open({ cacheDirectory });
    const again = await second.check(candidates);
    expect(kindsOf(again)).toEqual(kindsOf(judged));
    expect(again.filter(({ fromCache }) => fromCache).length).toBe(2);
    const third = await second.check(candidates);
    expect(third.map(({ fromCache }) => fromCache)).toEqual([true, true, true, true, false]);
  });

  test('answers with a reason where one is asked for', async () => {
    const cacheDirectory = mkdtempSync(join(scratchDirectory, 'cache-'));
    const verifier = await open({ cacheDirectory });
    const wrong = [candidate('wrong', '  exact nonsense')];
    const ask = async (isExplained: boolean) => {
      const [result] = await verifier.check(wrong, { explains: () => isExplained });
      return { fromCache: result!.fromCache, isExplained: result!.messages[0]!.text.includes('nonsense') };
    };
    expect(await ask(false)).toEqual({ fromCache: false, isExplained: false });
    expect(await ask(false)).toEqual({ fromCache: true, isExplained: false });
    expect(await ask(true)).toEqual({ fromCache: false, isExplained: true });
    expect(await ask(false)).toEqual({ fromCache: true, isExplained: true });
  });

  test('keeps no premises: which names count as some is for each verifier to say', async () => {
    const cacheDirectory = mkdtempSync(join(scratchDirectory, 'cache-'));
    const named = candidate('named', '  exact Nat.add_comm a b');
    expect((await (await open({ cacheDirectory })).check([named]))[0]!.premises).toEqual([]);
    const [again] = await (await open({ cacheDirectory, premiseNames: ['Nat.add_comm'] })).check([named]);
    expect(again).toMatchObject({ fromCache: true, kind: 'proved', premises: ['Nat.add_comm'] });
  });

  test('is not shared between environments', async () => {
    const cacheDirectory = mkdtempSync(join(scratchDirectory, 'cache-'));
    await (await open({ cacheDirectory })).check(honest(1));
    const other = await open({ cacheDirectory, environment: { ...environment, fingerprint: 'another' } });
    expect((await other.check(honest(1)))[0]!.fromCache).toBe(false);
  });
});
