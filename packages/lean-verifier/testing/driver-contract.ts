/** The tests that both drivers must pass: `lean --json` and the language server. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses, untilMarked } from '../../../test/support/processes.ts';
import type { DriverName, LeanDriver, LeanSession } from '../runtime/process/driver.ts';
import { openDriver } from '../runtime/process/open-driver.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { driverOf, MEMORY_BYTES_MAX, runBody, script, sessionOf } from './drivers.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

/** The kernel counts down from a hundred million, which takes minutes and gigabytes but few heartbeats. */
const HEAVY = 'theorem heavy : (List.range 100000000).length = 3 := by decide +kernel';
/** A Lean process with more resident memory has imported its header. */
const LEAN_LOADED_BYTES = 200_000_000;

/** Registers the tests of a driver. They start real processes and take about fifteen seconds of one core. */
export function describeDriver(name: DriverName): void {
  describe(`driver ${name}`, () => {
    const workingDirectory = scratchFolder();
    let environment: LeanEnvironment;
    beforeAll(async () => {
      environment = await coreEnvironment();
    });
    afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));
    let runMark: string;
    const opened: LeanSession[] = [];

    function driver(options: Partial<LeanEnvironment> = {}): LeanDriver {
      runMark = `test-${randomBytes(6).toString('hex')}`;
      return driverOf(name, { environment: { ...environment, ...options }, workingDirectory, runMark });
    }

    async function session(header = ''): Promise<LeanSession> {
      const one = await sessionOf(driver(), header);
      opened.push(one);
      return one;
    }

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
      expect(markedProcesses(runMark)).toEqual([]);
    });

    test('says of a body what lean --json says of the header with the body below it', async () => {
      const warm = await session('open Nat\n\nset_option autoImplicit false\n');
      const body = [
        '-- 𝔸𝔹 stand outside the plane that UTF-16 counts as one',
        'example (𝔸 : Nat) : 𝔸 = 𝔸 + 1 := by skip; exact 𝔸',
        'theorem left (a b : Nat) : a + b = b + a := by',
        '  sorry',
        'example : 𝔸𝔹𝔸𝔹 = 1 := by',
        '  exact (zero_le _)',
        '#check (zero_le 1)',
        '#print "∀ 𝔸"',
      ].join('\n');
      const { exit, messages } = await runBody(warm, body);
      expect(exit).toMatchObject({ how: 'finished', code: 1, signal: null });
      expect(messages.map(({ severity, line, column, text }) => [severity, line, column, text.split('\n')[0]])).toEqual(
        [
          ['error', 6, 42, expect.stringContaining('ype mismatch')],
          ['warning', 7, 8, 'declaration uses `sorry`'],
          ['error', 9, 10, 'Unknown identifier `𝔸𝔹𝔸𝔹`'],
          ['information', 11, 0, 'zero_le 1 : 0 ≤ 1'],
          ['information', 12, 0, '∀ 𝔸'],
        ],
      );
      expect(warm.uses).toBe(1);
      expect(warm.isAlive).toBe(true);
    });

    test('imports the header, once for all runs where a process stays', async () => {
      const warm = await session('import Std\n\nopen Std\n');
      for (let index = 0; index < 3; index += 1) {
        const { exit, messages } = await runBody(warm, `#check @HashMap\n-- ${index}`);
        expect(exit.how).toBe('finished');
        expect(messages.map(({ severity, line }) => [severity, line])).toEqual([['information', 5]]);
      }
      const process = warm.pid === null ? [] : [warm.pid];
      expect(markedProcesses(runMark).filter((pid) => process.includes(pid))).toEqual(process);
      if (warm.pid !== null) expect(await warm.residentBytes()).toBeGreaterThan(30_000_000);
    });

    test('tells a header with errors from one that is fit', async () => {
      const { kind, ...rest } = await driver().open('import No.Such.Module', { memoryBytesMax: MEMORY_BYTES_MAX });
      expect(kind).toBe('header_error');
      expect(JSON.stringify(rest)).toContain('No');
    });

    test('lets nothing of a run reach the next', async () => {
      const warm = await session();
      const before = await runBody(warm, 'theorem here : 1 = 1 := rfl\nnamespace N\nsection S\nset_option pp.all true');
      expect(before.exit.how).toBe('finished');
      await runBody(warm, 'local notation "ℵ" => 7\nopen Nat\nvariable (x : Nat)\nuniverse u\n/- never closed');
      const { messages } = await runBody(warm, '#check here\n#check zero_le\n#check x\n#check Sort u\n#check 1 + 1');
      expect(messages.map(({ severity }) => severity)).toEqual(['error', 'error', 'error', 'error', 'information']);
      expect(messages[4]!.text).toBe('1 + 1 : Nat');
      const again = await runBody(warm, 'theorem here : 1 = 1 := rfl\nend S');
      expect(again.messages.map(({ text }) => text.split('\n')[0])).toEqual([expect.stringContaining('end')]);
    });

    test('gives the same answer every time, thirty times where that is cheap', async () => {
      const warm = await session();
      for (let index = 0; index < (name === 'server' ? 30 : 3); index += 1) {
        const body = `theorem t${index} (a b : Nat) : a + b = b + a := by\n  ${index % 3 === 2 ? 'rfl' : 'omega'}\n#print "done"`;
        const { exit, messages } = await runBody(warm, body);
        expect(exit.how).toBe('finished');
        expect(messages.length).toBe(index % 3 === 2 ? 2 : 1);
        expect(messages.at(-1)).toMatchObject({ severity: 'information', line: 4, text: 'done' });
      }
      expect(warm.uses).toBe(name === 'server' ? 30 : 3);
    });

    test('reports more errors than Lean does by itself', async () => {
      const warm = await session();
      const wrong = Array.from({ length: 130 }, (_, index) => `example : 1 = 2 := nonsense${index}`);
      const { messages } = await runBody(warm, wrong.join('\n'));
      expect(messages.length).toBe(130);
      expect(messages[129]!.text).toContain('nonsense129');
    });

    test.each([
      ['deadline', { deadlineMs: 1_000 }],
      ['memory', { memoryBytesMax: 290_000_000 }],
    ] as const)('ends what exceeds its %s, and all it has started', async (how, limits) => {
      const warm = await session();
      const { exit } = await runBody(warm, HEAVY, limits);
      expect(exit.how).toBe(how);
      expect(exit.cpuMs).toBeGreaterThan(0);
      expect(exit.peakResidentBytes).toBeGreaterThan(LEAN_LOADED_BYTES);
      expect(warm.isAlive).toBe(false);
      expect(markedProcesses(runMark)).toEqual([]);
      await expect(warm.run({ body: '', deadlineMs: 1, memoryBytesMax: 1, onMessage: () => {} })).rejects.toMatchObject(
        {
          code: 'STP1203',
        },
      );
    });

    test('tells a process that somebody kills from one that ends', async () => {
      const warm = await session();
      const running = runBody(warm, HEAVY);
      for (const pid of await untilMarked(runMark, LEAN_LOADED_BYTES)) process.kill(pid, 'SIGKILL');
      expect((await running).exit.how).toBe('crashed');
      expect(warm.isAlive).toBe(false);
    });

    test('tells so too where it was killed before it was asked, and nobody has looked since', async () => {
      const warm = await session();
      if (warm.pid === null) return;
      process.kill(warm.pid, 'SIGKILL');
      // The kernel ends the process while this program sleeps, so the next write finds a broken pipe.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      const { exit } = await runBody(warm, 'example : 1 = 1 := rfl');
      expect(exit).toMatchObject({ how: 'crashed', signal: 'SIGKILL' });
      expect(warm.isAlive).toBe(false);
    });

    test('an abort rejects with its reason and leaves no process', async () => {
      const warm = await session();
      const stop = new AbortController();
      const running = runBody(warm, HEAVY, { signal: stop.signal });
      await untilMarked(runMark, LEAN_LOADED_BYTES);
      stop.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      expect(warm.isAlive).toBe(false);
      expect(markedProcesses(runMark)).toEqual([]);
      const opening = driver().open('', {
        memoryBytesMax: MEMORY_BYTES_MAX,
        signal: AbortSignal.abort(new Error('late')),
      });
      await expect(opening).rejects.toThrow('late');
    });

    test('closing ends what runs', async () => {
      const warm = await session();
      const running = expect(runBody(warm, HEAVY)).rejects.toMatchObject({ code: 'STP1203' });
      await untilMarked(runMark, LEAN_LOADED_BYTES);
      await warm.close();
      await running;
      expect(markedProcesses(runMark)).toEqual([]);
    });

    test('a process that floods its output or its standard error does not start, and is ended', {
      tags: ['slow'],
    }, async () => {
      const flood = (where: string) =>
        script(workingDirectory, `flood${where.length}`, `exec yes "$(printf '%9000s' x)" ${where}`);
      for (const where of ['', '>&2']) {
        const program = flood(where);
        const processContext = { environment: { ...environment, executable: program }, workingDirectory };
        const opening = openDriver(name, processContext).open('', {
          memoryBytesMax: MEMORY_BYTES_MAX,
        });
        const { kind, ...rest } = await opening;
        expect(kind).toBe('no_start');
        // The reader ends the process when the bytes are not a message of the protocol, before the output limit.
        expect(['output', 'crashed']).toContain((rest as { exit: { how: string } }).exit.how);
      }
    });

    test('a Lean that is not there does not start', async () => {
      const opening = openDriver(name, {
        environment: { ...environment, executable: '/nonexistent/lean' },
        workingDirectory,
      }).open('', { memoryBytesMax: MEMORY_BYTES_MAX });
      expect(await opening).toMatchObject({ kind: 'no_start', exit: { how: 'not-started' } });
    });
  });
}
