/**
 * What activities need of the world, an interface for each capability. The factory of an activity takes those that it uses, so
 * that a test supplies these alone; `Ports` is all of them. Workers supply the implementations for laptop and fleet
 * (`workers/assemble.ts`).
 */

import type { NodesConfig, RewardName, RewardsConfig, TrackerName } from '@stp/config';
import type {
  ArtifactRef,
  LibraryTheorem,
  ObjectStore,
  SandboxFacts,
  ShownDefinition,
  Statement,
  TriedConjecture,
} from '@stp/config/records';
import type { SftSet } from '@stp/datasets';
import type { Ensemble, Generator, Trainer } from '@stp/language-model';
import type {
  ContextAnswer,
  CorpusFile,
  EquationsToTest,
  ExploredStatement,
  LeanSource,
  LibraryEquations,
  PortfolioRecord,
  RecordRow,
  StatementToRead,
  Steps,
  TestedEquations,
  TracedProof,
} from '@stp/lean-explore';
import type { BaseLimits, DriverName, FileReport, GrownTheorem, SandboxPolicy, Verifier } from '@stp/lean-verifier';
import type { RewardSource } from '@stp/selfplay';
import type { Monitor } from '../infra/monitor/monitor.ts';
import type { Nodes } from '../infra/nodes/nodes.ts';
import type { RunProvider } from '../infra/nodes/provider.ts';

/** The problem sets, the library and what was prepared, as they lie in the data folder and the repository. */
export interface Sources {
  problemSet(name: string): AsyncIterable<Statement>;
  /** A prepared SFT set (`data.sft`): its examples, those held out, the theorems it was made of. */
  sftSet(name: string): Promise<SftSet>;
  libraryTheorems(): Promise<readonly LibraryTheorem[]>;
  /** The library that a prepared set of compiled modules stands on: its modules with their theorems, each after those that it imports. */
  premises(set: string): Promise<readonly CorpusFile[]>;
  /** Further proofs of library theorems found by the script search: (theorem name, proof). */
  searchedProofs(): AsyncIterable<{ readonly theorem: string; readonly proof: string }>;
  /** States and tactics of the proofs of library theorems, traced with Lean: their own proofs and the searched ones. */
  tracedProofs(): Promise<readonly TracedProof[]>;
  /** Equations over the functions near library theorems that hold on test values. */
  exploredEquations(): Promise<readonly LibraryEquations[]>;
  /** What came of conjectures about the library's functions. */
  triedConjectures(): AsyncIterable<TriedConjecture>;
  /** The portfolio's results on the repository's problem sets; null if they are unknown. */
  portfolioRecord(): Promise<PortfolioRecord | null>;
  /** Returns the definitions that statements stand on, by the text of these modules. */
  definitions(): Promise<DefinitionSource>;
  /** False statements that ride in every round. */
  canaries(): AsyncIterable<Statement>;
  /** Every Lean module of the library and the problem sets, in an order that respects imports. */
  modules(): Promise<readonly LeanSource[]>;
}

export interface DefinitionSource {
  /** Nearest first; `bound`: names that the statement binds, which mean nothing else in it. */
  under(header: string | null, statement: string, bound: ReadonlySet<string>): readonly ShownDefinition[];
}

export interface VerificationLimits extends BaseLimits {
  readonly processes: number;
  readonly candidatesPerProcess: number;
  readonly driver: DriverName;
  /** Everything that starts Lean on text that a model wrote holds to it: STP1205 where it cannot. */
  readonly sandbox: SandboxPolicy;
}

export interface KeptPortfolio {
  readonly rows: ReadonlyMap<string, RecordRow>;
  add(rows: readonly RecordRow[]): Promise<void>;
}

/** The store of a run. */
export interface RunStore {
  store(run: string): Promise<ObjectStore>;
}

/** Objects of any store. */
export interface StoredObjects {
  /** An object by its whole address, in any store; null if it does not exist. */
  findObject(uri: string): Promise<ArtifactRef | null>;
}

/** Disk of this node. */
export interface RunScratch {
  /** Folder of this node for files of the run that may vanish. */
  scratch(run: string): Promise<string>;
}

/** The mark of processes that are started for a run. */
export interface RunMark {
  /** The mark (`packages/base/run-mark.ts`) for what is started for the run and is not Lean. */
  runMark(run: string): string;
}

/** Lean as the judge of proofs and statements. */
export interface RunVerifier<Uses extends keyof Verifier> {
  /** Checks under the library and, where there are any, the run's grown theorems (`grownHeaders` says how they come in). */
  verifier(run: string, limits: VerificationLimits, grown?: readonly GrownTheorem[]): Promise<Pick<Verifier, Uses>>;
}

/** Lean as the judge of whole files. */
export interface FileCheck {
  /**
   * Checks a whole file by itself: one fresh process compiles it, and its object is judged (as in `bin/stp check`). The process
   * gets the memory that the screen's big class gives a proof. For a certificate the further checkers look at it as well.
   * As many files are checked at once on a node as `limits.processes` says, over all callers.
   */
  checkFile(
    run: string,
    path: string,
    limits: Omit<VerificationLimits, 'candidatesPerProcess' | 'driver'>,
    signal: AbortSignal,
  ): Promise<FileReport>;
}

/** Lean as the judge of what the library grows by. */
export interface LibraryGrowth {
  /** Returns those of the added theorems that compile over the earlier ones. */
  growable(
    run: string,
    earlier: readonly GrownTheorem[],
    added: readonly GrownTheorem[],
    limits: Pick<VerificationLimits, 'sandbox' | 'processes'>,
    signal: AbortSignal,
  ): Promise<readonly GrownTheorem[]>;
}

/** The sandbox of Lean. */
export interface LeanSandbox {
  /** Returns the sandbox in which Lean runs on this node under the policy. */
  sandbox(policy: SandboxPolicy): Promise<SandboxFacts>;
}

/** Lean, tactic by tactic. */
export interface RunSteps {
  /**
   * A new step API over a Lean process of this node, with the library and the run's grown theorems. The caller closes it.
   * Its limits are those of the screen's big class.
   */
  steps(run: string, limits: VerificationLimits, grown?: readonly GrownTheorem[]): Promise<Steps>;
}

/** The names that proofs of a statement may use. */
export interface StatementContexts {
  /**
   * Returns the names that the statements' proofs may use: an answer each, in order. Lean compiles the statements; their
   * objects are read here.
   */
  contexts(
    run: string,
    statements: readonly StatementToRead[],
    limits: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'>,
    signal: AbortSignal,
  ): Promise<readonly ContextAnswer[]>;
}

/** Equations, explored. */
export interface Exploration {
  /**
   * Equations over the functions near each statement that hold on test values, or as many random ones: an answer each, in order.
   * `deeper`: so many steps further than at first. `coreEquivalents`: which functions Lean's core library has too comes first.
   * `coreFunctions`: over that library's functions where a statement uses no others.
   */
  explore(
    run: string,
    statements: readonly StatementToRead[],
    options: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'> & {
      /** Threads that explore at once; no Lean runs beside them. */
      readonly processes: number;
      readonly seed: number;
      readonly random: boolean;
      readonly deeper: number;
      readonly coreEquivalents: boolean;
      readonly coreFunctions: boolean;
    },
    signal: AbortSignal,
  ): Promise<readonly ExploredStatement[]>;
}

/** Equations, tested. */
export interface EquationTests {
  /** Tests equations over the functions near each statement: an answer each, in order. */
  testEquations(
    run: string,
    asked: readonly (StatementToRead & EquationsToTest)[],
    options: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'> & { readonly seed: number },
    signal: AbortSignal,
  ): Promise<readonly TestedEquations[]>;
}

/** The results of the portfolio of scripts so far. */
export interface PortfolioResults {
  /** The portfolio's earlier results on this machine, under this Lean and these limits. */
  portfolioKept(limits: BaseLimits): Promise<KeptPortfolio>;
}

/** A model that samples and embeds. */
export interface RunModel<Uses extends 'sample' | 'embed'> {
  /**
   * The engine on a checkpoint folder; one is kept warm until another is asked for. The signal ends the search for a
   * server that has the checkpoint.
   */
  generator(
    run: string,
    checkpointDirectory: string,
    threads: number,
    signal: AbortSignal,
  ): Promise<Pick<Generator, Uses>>;
}

/** A trainer of models. */
export interface RunTrainer {
  trainer(run: string, threads: number): Trainer;
}

/** Memory for a training that needs all of it. */
export interface LoneTraining {
  /** Runs a training of another kind than the trainers' when no model works here, and none holds memory. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** An ensemble of learned verifiers. */
export interface RunEnsemble {
  /** An ensemble of verifiers, by its folder on this node. The caller closes it. */
  ensemble(run: string, directory: string, threads: number): Promise<Pick<Ensemble, 'rewards' | 'close'>>;
}

/** The sources of samples' rewards. */
export interface RewardSources {
  /** Who says what samples earn, by name (`objective.rewards`), with its settings. */
  reward(run: string, name: RewardName, rewards: RewardsConfig): RewardSource;
}

/** This node, for its own sake. */
export interface NodeAccess {
  nodes: Nodes;
}

/** Machines of a cloud. */
export interface CloudMachines {
  /** Gets machines for the run and gives them back, as the configuration says. STP1002 for `local`, which has nothing to get. */
  provider(run: string, config: NodesConfig): RunProvider;
}

/** Where metrics go. */
export interface RunMonitor {
  monitor(run: string): Promise<Omit<Monitor, 'finalise'>>;
}

/** Trackers of experiments. */
export interface RunTrackers {
  /** STP1001 for trackers (`tracking` of the configuration) that this worker knows nothing of. */
  requireTrackers(names: readonly TrackerName[]): void;
}

/** Losses that the monitor has. */
export interface TrainingLosses {
  /** Training losses that the monitor has, by stage and step. */
  losses(run: string): Promise<readonly { stage: string; step: number; loss: number }[]>;
}

/** Problem sets, library and what was prepared; an activity names those that it reads. */
export interface DataSources<Names extends keyof Sources> {
  readonly sources: Pick<Sources, Names>;
}

/** All capabilities. */
export interface Ports
  extends RunStore,
    StoredObjects,
    RunScratch,
    RunMark,
    RunVerifier<keyof Verifier>,
    FileCheck,
    LibraryGrowth,
    LeanSandbox,
    RunSteps,
    StatementContexts,
    Exploration,
    EquationTests,
    PortfolioResults,
    RunModel<'sample' | 'embed'>,
    RunTrainer,
    LoneTraining,
    RunEnsemble,
    RewardSources,
    NodeAccess,
    CloudMachines,
    RunMonitor,
    RunTrackers,
    TrainingLosses,
    DataSources<keyof Sources> {}
