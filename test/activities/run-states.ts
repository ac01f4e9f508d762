/** The state of a run between rounds, for tests: one object stands for all of its data. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef } from '@stp/config/records';
import type { RunState } from '../../activities/run/run-state.ts';

export function runState(config: RunConfig, object: ArtifactRef, more: Partial<RunState> = {}): RunState {
  const checkpoint = { manifest: object, model: 'feed' };
  return {
    config,
    hostQueues: [],
    data: {
      train: object,
      heldOut: object,
      heldOutKeys: object,
      canaries: object,
      sft: object,
      sftEval: object,
      theorems: object,
      counts: {
        libraryProofs: 1,
        searchedProofs: 0,
        conjecturerExamples: 0,
        excludedForHeldOut: 0,
        trainExcludedForHeldOut: 0,
      },
    },
    sft: { checkpoint, steps: 1, loss: 1, tokens: 1, seconds: 1 },
    checkpoint,
    outcomes: [],
    skipped: [],
    failures: [],
    evaluations: [],
    nextRound: 0,
    replayFrom: 0,
    secondsPerStage: { sft: 3 },
    machineTime: [],
    ...more,
  };
}
