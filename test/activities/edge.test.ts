/** Which failures of writing Temporal tries again, and when. */
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { execa, execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { toFailure } from '../../activities/edge.ts';
import { StpError } from '../../data/errors.ts';
import { cannotWrite } from '../../infra/stores/store-errors.ts';
import { errorOf, failureOf } from '../../model/embedded/process/failure.ts';
import { causeWith } from '../../model/process/system-code.ts';
import { parseMessage, type TrainerMessage } from '../../model/process/trainer-messages.ts';
import { REPOSITORY } from '../../workers/settings.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code, syscall: 'write' });
const MINUTE_MS = 60_000;
const hasPython = execaSync('python3', ['--version'], { reject: false }).exitCode === 0;
if (!hasPython) console.warn('skipped, no python3: what a trainer in Python says of a full disk');

describe('a write that fails', () => {
  it.each([
    ['ENOSPC', 1, 1],
    ['ENOSPC', 2, 5],
    ['EDQUOT', 3, 15],
    ['ENOSPC', 4, 60],
  ])('with %s in attempt %i is tried again after %i minutes', (code, attempt, minutes) => {
    const inStore = cannotWrite('file:///runs/a', failed(code));
    const inCheckpoint = new StpError('STP1401', 'checkpoint', 'Check free space.', { cause: failed(code) });
    // As the engine's process tells it.
    const inEngine = errorOf(structuredClone(failureOf(inCheckpoint)));
    for (const error of [inStore, inCheckpoint, inEngine, failed(code)])
      expect(toFailure(error, attempt)).toMatchObject({
        type: 'STP1406',
        nonRetryable: false,
        nextRetryDelay: minutes * MINUTE_MS,
      });
  });

  it.skipIf(!hasPython)('to a full disk is known as one where a trainer in Python says so', async () => {
    const says = 'from failure import unwritable; from reports import Reports';
    const script = `${says}; Reports(True).failed(unwritable("checkpoint", OSError(28, "No space left on device")))`;
    const { stdout } = await execa('python3', ['-c', script], {
      cwd: join(REPOSITORY, 'infra/trainers'),
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    });
    const message = parseMessage(stdout) as Extract<TrainerMessage, { type: 'failed' }>;
    const { code, advice, systemCode } = message;
    const error = new StpError(code, message.message, advice, { ...causeWith(systemCode), retryable: true });
    expect(toFailure(error)).toMatchObject({ type: 'STP1406', message: expect.stringContaining('No space left') });
  });

  it.each(['EMFILE', 'EBUSY', 'ESTALE'])('with %s is tried again soon', (code) => {
    const failure = toFailure(cannotWrite('file:///runs/a', failed(code))) as ApplicationFailure;
    expect(failure).toMatchObject({ type: 'STP1401', nonRetryable: false });
    expect(failure.nextRetryDelay).toBeUndefined();
  });

  it.each(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST'])('with %s waits for a person', (code) => {
    expect(toFailure(cannotWrite('file:///runs/a', failed(code)))).toMatchObject({
      type: 'STP1401',
      nonRetryable: true,
    });
  });

  it('on a file system that is read-only waits for a person, for every kind of file', () => {
    expect(toFailure(failed('EROFS'))).toBeInstanceOf(ApplicationFailure);
    expect(toFailure(failed('EROFS'))).toMatchObject({ type: 'STP1401', nonRetryable: true });
  });
});
