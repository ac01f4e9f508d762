/** Tests verdicts on real Lean processes that are killed at random. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as realPause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { markedProcesses, untilMarked } from '../../../test/support/processes.ts';
import type { DriverName } from '../runtime/process/driver.ts';
import { openVerifier } from '../trust/open-verifier.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

/** Forty candidates on two processes of this driver each get one verdict, and no process is left. */
export async function expectVerdictsDespiteKills(driver: DriverName): Promise<void> {
  const scratchDirectory = scratchFolder();
  onTestFinished(() => rmSync(scratchDirectory, { recursive: true, force: true }));
  const runMark = `test-${randomBytes(6).toString('hex')}`;
  const environment = await coreEnvironment();
  const verifier = await openVerifier({
    environment,
    libraryHeader: '',
    driver,
    processes: 2,
    batchSize: 8,
    cacheDirectory: null,
    scratchDirectory,
    runMark,
  });
  const candidates = Array.from({ length: 40 }, (_, index) => ({
    id: String(index),
    header: null,
    statement: `theorem t (a b : Nat) : a + b + ${index} = b + a + ${index}`,
    proof: index % 4 === 3 ? `  exact nonsense${index}` : '  omega',
  }));
  const reported: string[] = [];
  let over = false;
  const checking = verifier.check(candidates, { onResult: ({ id }) => reported.push(id) }).finally(() => {
    over = true;
  });
  let killed = 0;
  // At most as many kills as one piece of work survives, in case they all hit the same one.
  while (!over && killed < 5) {
    // Kill the first process as soon as it appears, so that at least one kill happens.
    const pids = killed === 0 ? await untilMarked(runMark) : markedProcesses(runMark);
    const pid = pids[Math.floor(Math.random() * pids.length)];
    try {
      if (pid !== undefined) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
    } catch {
      // The process has ended by itself meanwhile.
    }
    await realPause(100 + Math.random() * 400);
  }
  const results = await checking;
  expect(killed).toBeGreaterThan(0);
  expect(results.filter(({ kind, id }) => kind !== (Number(id) % 4 === 3 ? 'rejected' : 'proved'))).toEqual([]);
  expect(results.length).toBe(candidates.length);
  expect(reported.toSorted()).toEqual(candidates.map(({ id }) => id).toSorted());
  await verifier.close();
  expect(markedProcesses(runMark)).toEqual([]);
}
