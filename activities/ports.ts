/**
 * What activities need from the world, one interface for each capability. The factory of an activity takes only the
 * capabilities that it uses, so a test supplies only those; `Ports` has all. Workers supply the implementations for
 * laptop and fleet (`workers/assemble.ts`).
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

/** The problem sets, the library and prepared data, read from the data folder and the repository. */
export interface Sources {
  problemSet(name: string): AsyncIterable<Statement>;
  /** A prepared SFT set (`data.sft`): its examples, its held-out examples, and the theorems it was made from. */
  sftSet(name: string): Promise<SftSet>;
  libraryTheorems(): Promise<readonly LibraryTheorem[]>;
  /**
   * The modules that a prepared set of compiled modules imports, with their theorems. Each module comes after those
   * that it imports.
   */
  premises(set: string): Promise<readonly CorpusFile[]>;
  /** Further proofs of library theorems found by the script search: (theorem name, proof). */
  searchedProofs(): AsyncIterable<{ readonly theorem: string; readonly proof: string }>;
  /**
   * States and tactics of the proofs of library theorems, traced with Lean: the library's own proofs and searched ones.
   */
  tracedProofs(): Promise<readonly TracedProof[]>;
  /** Equations over the functions near library theorems that hold on test values. */
  exploredEquations(): Promise<readonly LibraryEquations[]>;
  /** Conjectures about the library's functions that were tried, with their outcomes. */
  triedConjectures(): AsyncIterable<TriedConjecture>;
  /** The weights of a ranker of actions (`prover.rankerFrom`). */
  ranker(name: string): Promise<Uint8Array>;
  /** The portfolio's results on the repository's problem sets; null if unknown. */
  portfolioRecord(): Promise<PortfolioRecord | null>;
  /** Returns the definitions that statements use, read from the text of these modules. */
  definitions(): Promise<DefinitionSource>;
  /** False statements that are added to every round. */
  canaries(): AsyncIterable<Statement>;
  /** Every Lean module of the library and the problem sets, in an order that respects imports. */
  modules(): Promise<readonly LeanSource[]>;
}

export interface DefinitionSource {
  /**
   * Returns the definitions, nearest first. `bound`: names that the statement binds, which hide definitions of the same
   * name.
   */
  under(header: string | null, statement: string, bound: ReadonlySet<string>): readonly ShownDefinition[];
}

export interface VerificationLimits extends BaseLimits {
  readonly processes: number;
  readonly candidatesPerProcess: number;
  readonly driver: DriverName;
  /**
   * Policy for every Lean process that reads text of a model. STP1205 if the sandbox that it demands is not available.
   */
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
  /** Returns an object by its full URI, in any store; null if it does not exist. */
  findObject(uri: string): Promise<ArtifactRef | null>;
}

/** Disk space on this node. */
export interface RunScratch {
  /** Returns a folder on this node for files of the run; it may vanish. */
  scratch(run: string): Promise<string>;
}

/** The run's mark on its processes. */
export interface RunMark {
  /** Returns the mark (`packages/base/run-mark.ts`) for processes of the run other than Lean's. */
  runMark(run: string): string;
}

/** Lean as the judge of proofs and statements. */
export interface RunVerifier<Uses extends keyof Verifier> {
  /**
   * Returns a verifier over the library and, if given, the run's grown theorems (`grownHeaders` says how they are
   * imported).
   */
  verifier(run: string, limits: VerificationLimits, grown?: readonly GrownTheorem[]): Promise<Pick<Verifier, Uses>>;
}

/** Lean as the judge of whole files. */
export interface FileCheck {
  /**
   * Checks a whole file by itself: one fresh process compiles it, and its object is judged (as in `bin/stp check`). The
   * process gets the memory of the pool's big class. For a certificate the further checkers examine the module too. A
   * node checks at most `limits.processes` files at once, over all callers.
   */
  checkFile(
    run: string,
    path: string,
    limits: Omit<VerificationLimits, 'candidatesPerProcess' | 'driver'>,
    signal: AbortSignal,
  ): Promise<FileReport>;
}

/** Lean as the judge of theorems that join the library. */
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

/** The step API: Lean, tactic by tactic. */
export interface RunSteps {
  /**
   * Starts a step API over a Lean process of this node, with the library and the run's grown theorems. The caller
   * closes it. Its limits are those of the pool's big class.
   */
  steps(run: string, limits: VerificationLimits, grown?: readonly GrownTheorem[]): Promise<Steps>;
}

/** The names that the proofs of a statement may use. */
export interface StatementContexts {
  /**
   * Returns the names that each statement's proofs may use, one answer for each statement in order. Lean compiles the
   * statements; their objects are read here.
   */
  contexts(
    run: string,
    statements: readonly StatementToRead[],
    limits: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'>,
    signal: AbortSignal,
  ): Promise<readonly ContextAnswer[]>;
}

/** Exploration of equations. */
export interface Exploration {
  /**
   * Returns equations over the functions near each statement that hold on test values, or as many random ones; one
   * answer for each statement in order. `deeper`: number of additional steps. `coreEquivalents`: first find the
   * functions that equal a function of Lean's core library. `coreFunctions`: use functions of the core library if a
   * statement uses no others.
   */
  explore(
    run: string,
    statements: readonly StatementToRead[],
    options: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'> & {
      /** Threads that explore at once. No Lean process runs beside them. */
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

/** Tests of equations on test values. */
export interface EquationTests {
  /** Tests equations over the functions near each statement: an answer each, in order. */
  testEquations(
    run: string,
    asked: readonly (StatementToRead & EquationsToTest)[],
    options: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'> & { readonly seed: number },
    signal: AbortSignal,
  ): Promise<readonly TestedEquations[]>;
}

/** Earlier results of the portfolio of scripts. */
export interface PortfolioResults {
  /** Returns the portfolio's earlier results on this machine, under this Lean and these limits. */
  portfolioKept(limits: BaseLimits): Promise<KeptPortfolio>;
}

/** A model that samples and embeds. */
export interface RunModel<Uses extends 'sample' | 'embed'> {
  /**
   * Returns the engine for a checkpoint folder; it stays warm until another is requested. The signal ends the search
   * for a server that has the checkpoint.
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

/** Exclusive use of a node's memory for a training. */
export interface LoneTraining {
  /** Runs a training that is none of the trainers' while no model works or holds memory here. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** An ensemble of learned verifiers. */
export interface RunEnsemble {
  /** Returns an ensemble of verifiers, by its folder on this node. The caller closes it. */
  ensemble(run: string, directory: string, threads: number): Promise<Pick<Ensemble, 'rewards' | 'close'>>;
}

/** The sources of samples' rewards. */
export interface RewardSources {
  /** Returns the reward source of this name (`objective.rewards`), with its settings. */
  reward(run: string, name: RewardName, rewards: RewardsConfig): RewardSource;
}

/** Operations on this node itself. */
export interface NodeAccess {
  nodes: Nodes;
}

/** Machines of a cloud. */
export interface CloudMachines {
  /**
   * Returns what gets machines for the run and gives them back, as configured. STP1002 for `local`, which needs none.
   */
  provider(run: string, config: NodesConfig): RunProvider;
}

/** The destination of metrics. */
export interface RunMonitor {
  monitor(run: string): Promise<Omit<Monitor, 'finalise'>>;
}

/** Trackers of experiments. */
export interface RunTrackers {
  /** Throws STP1001 for trackers (`tracking` of the configuration) that this worker does not know. */
  requireTrackers(names: readonly TrackerName[]): void;
}

/** Training losses that the monitor has stored. */
export interface TrainingLosses {
  /** Training losses by stage and step. */
  losses(run: string): Promise<readonly { stage: string; step: number; loss: number }[]>;
}

/** Problem sets, library and prepared data; an activity names those that it reads. */
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
