/** Schemas of records and of the configuration, presets, prompt formats. */
export { formatOf, loadFormat } from './formats.ts';
export { leaves } from './keys.ts';
export { MODEL_PLACEHOLDER } from './model-placeholder.ts';
export { suggestion } from './nearest.ts';
export { presetNames } from './presets.ts';
export {
  type ConfigSources,
  changedValues,
  requireSameConfig,
  resolveConfig,
  resolveWithProvenance,
} from './resolve.ts';
export { findAccelerator } from './schemas/accelerators.ts';
export type { SeedConfig } from './schemas/conjecturers/conditions.ts';
export {
  type Conjecturing,
  conditionOf,
  conjecturerIn,
  conjecturing,
  hasConjecturer,
  type LearnedConjecturer,
  learnedConjecturer,
  rankedShare,
  rewardsUse,
} from './schemas/conjecturers/index.ts';
export type { ConjectureReward } from './schemas/conjecturers/learned.ts';
export {
  type EngineName,
  type EnginesConfig,
  enginesConfigSchema,
  type LevanterEngine,
  type LlamaCppEngine,
  llamaCppEngine,
  type PytorchEngine,
  type TrainerEngine,
  type TransformersEngine,
  type VllmEngine,
} from './schemas/engines.ts';
export {
  type CloudConfig,
  COMMAND_SECONDS_MAX,
  type GpuConfig,
  type InventoryConfig,
  type NodesConfig,
  nodesConfigSchema,
  type TpuConfig,
} from './schemas/nodes.ts';
export { type Preference, type PreferenceObjective, preferenceSchema } from './schemas/objectives/dpo.ts';
export { type FlowGroup, type FlowObjective, flowGroupSchema } from './schemas/objectives/gfn.ts';
export { type PolicyExample, type PolicyObjective, policyExampleSchema } from './schemas/objectives/grpo.ts';
export {
  type ObjectiveConfig,
  type ObjectiveOf,
  type RewardObjective,
  type RunObjective,
  trainsByReward,
} from './schemas/objectives/index.ts';
export { LIKELIHOOD } from './schemas/objectives/likelihood.ts';
export {
  FORMAT_NAMES,
  type FormatName,
  formatNameSchema,
  type PromptFormat,
  type RevisionFormat,
} from './schemas/prompt-format.ts';
export {
  EVALUATED_PROVERS,
  learnsOrder,
  type ProverConfig,
  type ProverMode,
  proverIn,
  provesByScripts,
  startingRanker,
  triesActions,
} from './schemas/provers/index.ts';
export type { Prompts } from './schemas/provers/prompts.ts';
export type { SearchConfig } from './schemas/provers/steps.ts';
export type { VerifierConfig } from './schemas/provers/verifier-scores.ts';
export type { RewardName, RewardsConfig } from './schemas/rewards/index.ts';
export {
  type OptimiserConfig,
  ROUNDS_MAX,
  type RunConfig,
  runConfigSchema,
  type StartInput,
  startInputSchema,
  type TrackerName,
  trackerNameSchema,
} from './schemas/run-config.ts';
export {
  explainedShare,
  isInWords,
  marksLemmas,
  meetsStates,
  proverOf,
  writesTactics,
} from './schemas/run-modes.ts';
export { isRunName } from './schemas/run-name.ts';
