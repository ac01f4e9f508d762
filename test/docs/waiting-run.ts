/**
 * A workflow that answers like a run, with the same names of updates and queries, and waits until it is ended: for
 * guides that talk to a run.
 */
import { condition, setHandler } from '@temporalio/workflow';
import {
  abortUpdate,
  pauseUpdate,
  progressQuery,
  resumeUpdate,
  retryRoundUpdate,
  skipRoundUpdate,
  stopAfterRoundUpdate,
} from '../../workflows/control/contracts.ts';

export async function waitingRun(): Promise<void> {
  for (const update of [
    pauseUpdate,
    resumeUpdate,
    stopAfterRoundUpdate,
    retryRoundUpdate,
    skipRoundUpdate,
    abortUpdate,
  ])
    setHandler(update, () => 'heard');
  setHandler(progressQuery, () => ({
    run: 'RUN',
    stage: 'round',
    round: 1,
    rounds: 2,
    child: null,
    stageStartedAtMs: 0,
    shardsDone: 0,
    shardsTotal: 0,
    samples: 0,
    verified: 0,
    successes: 0,
    statements: 0,
    provedBaseline: null,
    provedPerRound: [],
    paused: false,
    waiting: null,
  }));
  await condition(() => false);
}
