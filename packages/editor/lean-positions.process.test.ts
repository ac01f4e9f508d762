/** Which Lean process reads which file. About three seconds. */

import {
  coreEnvironment,
  DRIVER_MEMORY_BYTES_MAX as MEMORY_BYTES_MAX,
  scratchFolder,
} from '@stp/lean-verifier/testing';
import { expect, onTestFinished, test } from 'vitest';
import { markedProcesses } from '../../test/support/processes.ts';
import { openLeanPositions } from './lean-positions.ts';

test('alternating requests for files with different imports do not restart each other’s process', async () => {
  const [environment, workingDirectory] = [await coreEnvironment(), scratchFolder()];
  const runMark = `test-places-${process.pid}`;
  const options = { memoryBytesMax: MEMORY_BYTES_MAX, heartbeatsMax: 20_000 };
  const positions = openLeanPositions(2, { environment, workingDirectory, runMark, ...options });
  onTestFinished(() => positions.close());
  const open = async (imports: string, name: string): Promise<void> => {
    const position = positions.pick(`${imports}theorem ${name} : 1 = 1 := by\n  `);
    const opened = await position.exclusive(() => position.open({ deadlineMs: 10_000 }), new AbortController().signal);
    expect(opened.kind).toBe('open');
  };
  await open('', 'one');
  await open('import Init.Data\n', 'two');
  const begun = markedProcesses(runMark);
  for (const name of ['three', 'four']) {
    await open('import Init.Data\n', name);
    await open('', name);
  }
  expect(markedProcesses(runMark)).toEqual(begun);
});
