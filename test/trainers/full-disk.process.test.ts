/** Tests what a trainer in Python says of a full disk, up to Temporal's failure: another machine may do the work. A second. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTrainerProcesses } from '@stp/language-model/testing';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { toFailure } from '../../activities/edge.ts';
import { REPOSITORY } from '../../workers/settings.ts';

const hasPython = execaSync('python3', ['--version'], { reject: false }).exitCode === 0;
if (!hasPython) console.warn('skipped, no python3: what a trainer in Python says of a full disk');

const SCRIPT = `
import sys
from failure import unwritable
from reports import Reports
Reports(True).failed(unwritable("checkpoint", OSError(28, "No space left on device")))
sys.exit(1)`;

it.skipIf(!hasPython)('is known as one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-full-disk-'));
  const error: unknown = await runTrainerProcesses({
    command: ['python3', '-c', SCRIPT],
    processes: 1,
    logPath: join(directory, 'log'),
    runMark: undefined,
    environment: {
      PYTHONPATH: join(REPOSITORY, 'packages/language-model/trainers/python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    silenceLimitMs: 60_000,
    onMessage: () => undefined,
    signal: undefined,
  }).catch((thrown: unknown) => thrown);
  expect(toFailure(error)).toMatchObject({ type: 'STP1406', message: expect.stringContaining('No space left') });
  await rm(directory, { recursive: true });
});
