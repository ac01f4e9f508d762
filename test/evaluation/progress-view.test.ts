/** Tests the live view of a run whose work failed and will be tried again. */
import { expect, it } from 'vitest';
import { describeNow, retryOf } from '../../cli/run/progress-view.ts';
import type { Progress } from '../../workflows/control/contracts.ts';

const pending = (at: number | null, message: string, type?: string) => ({
  nextAttemptScheduleTime: at === null ? null : { seconds: at, nanos: 0 },
  lastFailure: {
    message: 'activity failed',
    cause: { message, applicationFailureInfo: type === undefined ? null : { type } },
  },
});

it('says why the work failed and when it is tried again, and none of its stale figures', () => {
  const run = { stage: 'sft', stageStartedAtMs: 0, child: null, paused: false, waiting: null } as unknown as Progress;
  const activity = { step: 540, steps: 600, loss: 1 };
  const retry = retryOf([
    pending(null, 'runs now'),
    pending(90, 'earlier'),
    pending(300, 'the disk is full\nFree space.', 'STP1406'),
  ]);
  expect(retry).toEqual({ why: 'the disk is full', atMs: 300_000 });
  const described = describeNow({ run, round: null, activity, retry }, 60_000);
  expect(described).toBe('training the first model (SFT) · 1 min 00 s · TRIED AGAIN in 4 min 00 s: the disk is full');
  expect(describeNow({ run, round: null, activity, retry }, 299_500)).toContain('step 540/600');
  expect(retryOf([{ nextAttemptScheduleTime: { seconds: 7 } }])).toBeNull();
});
