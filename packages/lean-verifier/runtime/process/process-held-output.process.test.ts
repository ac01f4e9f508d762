/** Tests a process that leaves its process group. Without a control group it is out of reach: then no code waits for it. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { killMarked } from '../../../../test/support/processes.ts';
import { scratchFolder } from '../../testing/environment.ts';
import { runLean } from './lean-process.ts';

vi.mock('./cgroup.ts', () => ({ openControlGroup: () => null }));

const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

test('the end of a process is told though something out of reach holds its output, and all it said is read', async () => {
  const executable = join(scratchDirectory, 'lean');
  const said = JSON.stringify({ severity: 'error', pos: { line: 1, column: 0 }, data: 'x'.repeat(1_000) });
  writeFileSync(executable, `#!/bin/sh\nsetsid sleep 1000 &\nsleep 0.3\nfor i in $(seq 50); do echo '${said}'; done\n`);
  chmodSync(executable, 0o755);
  const runMark = `held-${process.pid}`;
  let messages = 0;
  const exit = await runLean({
    environment: {
      source: 'configured',
      executable,
      version: 'stand-in',
      searchPath: [],
      fingerprint: '',
      toleratesLibraryAxioms: false,
    },
    arguments: [],
    input: null,
    workingDirectory: scratchDirectory,
    runMark,
    deadlineMs: 60_000,
    memoryBytesMax: 2_000_000_000,
    onMessage: () => {
      messages += 1;
    },
  });
  killMarked(runMark);
  expect(exit.how).toBe('finished');
  expect(messages).toBe(50);
});
