/**
 * The contract of the workflows with clients and with each other: names, inputs, queries, updates. Clients import this
 * file, and it imports only what workflows may import.
 */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef, CheckpointRef } from '@stp/config/records';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { PreparedData } from '../../activities/run/prepared-data.ts';

export const CONTROL_QUEUE = 'stp';
/** Queue of checks by Lean: every node that has Lean polls it, so a free node takes the next shard. */
export const LEAN_QUEUE = 'stp/lean';
export const SELFPLAY_TYPE = 'stp-selfplay';
export const ROUND_TYPE = 'stp-round';
export const EVALUATE_TYPE = 'stp-evaluate';
export const JANITOR_TYPE = 'stp-janitor';
export const EVERY_NODE_TYPE = 'stp-every-node';
export const CLEAN_NODES_TYPE = 'stp-clean-nodes';

/** Key of the memo entry of a run or an evaluation with the host queues of its nodes. */
export const HOST_QUEUES_MEMO = 'hostQueues';
/**
 * Key of the memo entry with the `nodes` configuration of a run on cloud machines, which is needed to give them back.
 */
export const NODES_MEMO = 'nodes';

/** Number of digits of a model's hash in object names: 32 bits distinguish a run's models. */
export const MODEL_DIGITS = 8;

export const selfplayWorkflowId = (run: string): string => `stp/${run}`;
export const evaluateWorkflowId = (name: string): string => `stp-evaluate/${name}`;
/** Returns the name in a workflow id, which need not have the prefix. */
export const withoutPrefix = (workflowId: string, prefix: string): string =>
  workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : workflowId;
export const roundWorkflowId = (run: string, round: number): string => `stp/${run}/round-${round}`;

export interface RoundInput {
  readonly run: string;
  readonly round: number;
  readonly config: RunConfig;
  /** Host queues of all nodes of the run. */
  readonly hostQueues: readonly string[];
  readonly data: PreparedData;
  readonly checkpoint: CheckpointRef;
  /** The SFT model, from which expert iteration trains anew in every round. */
  readonly sftCheckpoint: CheckpointRef;
  /** First round whose proofs are replayed. */
  readonly replayFrom: number;
  /** Manifests of the earlier rounds, oldest first. */
  readonly history: readonly ArtifactRef[];
  readonly paused: boolean;
}

export type Stage =
  | 'provision'
  | 'data'
  | 'sft'
  | 'conjecture'
  | 'prove'
  | 'select'
  | 'train'
  | 'retrain'
  | 'evaluate'
  | 'report'
  | 'round'
  | 'done';

/** Answer of the `progress` query, for the run and for each round. Times are workflow time, ms since 1970. */
export interface Progress {
  readonly run: string;
  readonly stage: Stage;
  readonly round: number;
  readonly rounds: number;
  /** Workflow id of the current round, whose own progress has more detail. */
  readonly child: string | null;
  readonly stageStartedAtMs: number;
  readonly shardsDone: number;
  readonly shardsTotal: number;
  readonly samples: number;
  readonly verified: number;
  readonly successes: number;
  /** Number of tokens in answers, if models reported them, and their cost so far, if `sampling.price` is set. */
  readonly tokens?: number;
  readonly cost?: number;
  /** Number of dataset statements: in the run, proved at baseline, and proved after each round so far. */
  readonly statements: number;
  readonly provedBaseline: number | null;
  readonly provedPerRound: readonly number[];
  readonly paused: boolean;
  /** The failure, while the run waits for `retryRound`, `skipRound` or `abort`. */
  readonly waiting: string | null;
}

export const progressQuery = defineQuery<Progress>('progress');
export const pauseUpdate = defineUpdate<string>('pause');
export const resumeUpdate = defineUpdate<string>('resume');
export const stopAfterRoundUpdate = defineUpdate<string>('stopAfterRound');
export const retryRoundUpdate = defineUpdate<string>('retryRound');
export const skipRoundUpdate = defineUpdate<string>('skipRound');
export const abortUpdate = defineUpdate<string>('abort');
/** Signal from the run to the round that it waits for. */
export const setPausedSignal = defineSignal<[boolean]>('setPaused');
