/** Schemas of records and of the configuration, presets, prompt formats. */
export { formatOf, loadFormat } from './formats.ts';
export { leaves } from './keys.ts';
export { MODEL_PLACE } from './model-place.ts';
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
export {
  type EnginesConfig,
  enginesConfigSchema,
  type LevanterEngine,
  type PytorchEngine,
  type TrainerEngine,
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
export {
  type FlowGroup,
  type FlowObjective,
  flowGroupSchema,
  LIKELIHOOD,
  type ObjectiveConfig,
  type PolicyExample,
  type PolicyObjective,
  type Preference,
  type PreferenceObjective,
  policyExampleSchema,
  preferenceSchema,
} from './schemas/objectives.ts';
export {
  FORMAT_NAMES,
  type FormatName,
  formatNameSchema,
  type PromptFormat,
  type RevisionFormat,
} from './schemas/prompt-format.ts';
export {
  explainedShare,
  hasConjecturer,
  isInWords,
  meetsStates,
  type OptimiserConfig,
  PROVER_WITHOUT_SLOTS,
  type ProverConfig,
  proverMode,
  type RewardName,
  ROUNDS_MAX,
  type RunConfig,
  rewardsUse,
  runConfigSchema,
  type SearchConfig,
  type StartInput,
  startInputSchema,
  type TrackerName,
  trackerNameSchema,
  usesScripts,
  type VerifierConfig,
  writesTactics,
  writesTyped,
} from './schemas/run-config.ts';
