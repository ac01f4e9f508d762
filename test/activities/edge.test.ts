/** Which failures of writing Temporal tries again, and when. */

import { StpError } from '@stp/base';
import { errorOf, failureOf } from '@stp/language-model/testing';
import { ApplicationFailure, type Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { sharedQueueInterceptors, toFailure } from '../../activities/edge.ts';
import { cannotWrite } from '../../infra/stores/store-errors.ts';

const failed = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code, syscall: 'write' });
const MINUTE_MS = 60_000;

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

describe('on a queue that machines share', () => {
  const run = async (error: Error): Promise<{ thrown: unknown; full: number }> => {
    let full = 0;
    const { inbound } = sharedQueueInterceptors(() => {
      full += 1;
    })({} as Context);
    const input = { args: [], headers: {} };
    const thrown = await inbound!.execute!(input, () => Promise.reject(error)).catch((failure: unknown) => failure);
    return { thrown, full };
  };

  it('a full disk ends the work of this machine, and another may begin at once', async () => {
    const { thrown, full } = await run(failed('ENOSPC'));
    expect(full).toBe(1);
    expect(thrown).toMatchObject({ type: 'STP1406', nonRetryable: false, nextRetryDelay: 1_000 });
    // A second conversion leaves the failure unchanged.
    expect(toFailure(thrown)).toBe(thrown);
  });

  it('another failure passes', async () => {
    const error = failed('EIO');
    expect(await run(error)).toEqual({ thrown: error, full: 0 });
  });
});
