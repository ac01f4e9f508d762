/** Entry for workflows that use `@stp/config`: only schemas, without Node. */
export type { ArtifactRef, CheckpointRef } from './schemas/artifact.ts';
export { conjecturerIn } from './schemas/conjecturers/index.ts';
export type { LevanterEngine } from './schemas/engines.ts';
export type { EvaluateInput, EvaluationFiles, EvaluationPlan } from './schemas/evaluation.ts';
export { HEARTBEAT_TIMEOUT_MS } from './schemas/heartbeats.ts';
export type {
  Evaluation,
  ModelEvaluation,
  RoundEvaluation,
} from './schemas/model-evaluation.ts';
export type { NodesConfig } from './schemas/nodes.ts';
export { lossOf, trainsByReward } from './schemas/objectives/index.ts';
export { type KnownTurn, proverIn, provesByScripts, triesActions, turnsOf } from './schemas/provers/index.ts';
export {
  costOf,
  partFolder,
  type RoundOutcome,
  type ShardResult,
  shardFolder,
  sumTokens,
} from './schemas/round.ts';
export { type RunConfig, type StartInput, startInputSchema } from './schemas/run-config.ts';
export { evaluationConfig, isInWords, withoutScripts } from './schemas/run-modes.ts';
export { isRunName } from './schemas/run-name.ts';
export type { MachineTime } from './schemas/summary.ts';
