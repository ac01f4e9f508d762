/** The `Nodes` port: machines that run generation, training and Lean. */

export interface NodeDescription {
  readonly name: string;
  /** Task queue of the worker on that node. */
  readonly taskQueue: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** Report of a clean-up on one node. */
export interface CleanUpReport {
  readonly node: string;
  readonly processesEnded: number;
  /** Resident memory of the ended processes, bytes, just before they ended. */
  readonly memoryBytesFreed: number;
  /** CPU time the ended processes had used, seconds. */
  readonly cpuSecondsUsed: number;
  readonly scratchBytesFreed: number;
}

/** Adds two reports of the same node. */
export function sumReports(a: CleanUpReport, b: CleanUpReport): CleanUpReport {
  return {
    node: a.node,
    processesEnded: a.processesEnded + b.processesEnded,
    memoryBytesFreed: a.memoryBytesFreed + b.memoryBytesFreed,
    cpuSecondsUsed: a.cpuSecondsUsed + b.cpuSecondsUsed,
    scratchBytesFreed: a.scratchBytesFreed + b.scratchBytesFreed,
  };
}

export type CleanUpScope = 'all' | 'lean';

export interface Nodes {
  provision(run: string): Promise<readonly NodeDescription[]>;
  /**
   * Ends the run's processes on the node by process group and touches nothing else. `all`: every process, and its scratch
   * goes too. `lean`: Lean alone, if the run continues with its scratch and its engine.
   */
  cleanUp(run: string, what?: CleanUpScope): Promise<CleanUpReport>;
  /**
   * Removes leftovers: processes of any run whose worker is dead, scratch folders of dead commands and, if the open
   * runs are given, processes that this worker holds for a closed run.
   */
  sweep(openRuns: readonly string[] | null): Promise<CleanUpReport>;
  /** Runs that have a scratch folder on this node. */
  runsWithFiles(): Promise<readonly string[]>;
  release(run: string): Promise<void>;
}
