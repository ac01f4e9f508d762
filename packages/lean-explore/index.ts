/** Works with Lean libraries: contexts of statements, library theorems, scripts, exploration of equations, proofs by steps. */
export { type CompiledModuleStatements, compiledStatements } from './compiled/compiled-statements.ts';
export { type GraphModule, ModuleGraph, modulesBelow, type UnreadableModule } from './compiled/module-graph.ts';
export { LEFT_OUT, type LeftOut } from './compiled/reader.ts';
export { areaOf, NoveltyBounds } from './compiled/splits.ts';
export type { ContextAnswer, ContextBinder, ContextInductive, StatementContext } from './context/statement-context.ts';
export {
  type ContextTask,
  readStatements,
  type StatementToRead,
  statementContexts,
} from './context/statement-contexts.ts';
export { disprove } from './disprove/disprove.ts';
export { deeperLimits } from './explore/equations.ts';
export { type LibraryEquations, readEquations } from './explore/equations-file.ts';
export { exploreInThreads } from './explore/explore-in-threads.ts';
export {
  type EquationsToTest,
  type ExploredStatement,
  exploredStatementSchema,
  type Tested,
  type TestedEquations,
  testEquations,
  unexplored,
  untested,
} from './explore/explore-statements.ts';
export { Definitions } from './library/definitions.ts';
export { type ConjecturerTuple, conjecturerTuples, extractLibrary } from './library/extract.ts';
export {
  LEANDOJO_PARTS,
  type LeanDojoPart,
  type LeanDojoSplit,
  type Located,
  readCorpus,
  readTheoremRows,
} from './library/leandojo/entries.ts';
export { type OwnLibrary, ownLibrary, statedTheorems } from './library/leandojo/own-library.ts';
export { type CorpusFile, NO_GOALS, type TacticRow, type TheoremRow } from './library/leandojo/rows.ts';
export {
  readSourceLines,
  readSourceTheorems,
  type SourceTheorem,
  type SourceTheorems,
} from './library/leandojo/theorems.ts';
export { type LeanSource, pruneTheorems } from './library/prune.ts';
export type { SearchScript } from './library/search/script-text.ts';
export { declaredNames, type WrittenProof, writtenProofs } from './library/written-proofs.ts';
export {
  actionPrice,
  MARKED,
  TRY_HEARTBEATS_MAX,
  TRY_TIME_FACTOR,
} from './portfolio/action-price.ts';
export { type Action, actionsFor } from './portfolio/actions.ts';
export { inFixedOrder } from './portfolio/fixed-order.ts';
export { premiseScripts } from './portfolio/premise-scripts.ts';
export { type PortfolioTools, provePortfolio } from './portfolio/prove.ts';
export { keepRows, type PortfolioRecord, type RecordRow, readRecord, rowOf } from './portfolio/record.ts';
export { PORTFOLIO_VERSION, type PortfolioStages, portfolioStages } from './portfolio/scripts.ts';
export { type SharedTask, trySharing } from './portfolio/shared-tries.ts';
export { readGoalTexts } from './step/goal-text.ts';
export {
  declarationAbove,
  type FilePositions,
  type FilePositionsOptions,
  importsOf,
  type OpenedPosition,
  openFilePositions,
  type PositionResult,
  type PositionState,
} from './step/open-file.ts';
export { openSteps } from './step/open-steps.ts';
export type { Goal, StepOptions, StepResult, StepState, Steps } from './step/step.ts';
export { traceProofInFile } from './step/trace.ts';
export { readTraced, type TracedProof, tracedProofId } from './step/traced-file.ts';
