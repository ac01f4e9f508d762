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
  /** Resident memory of the ended processes just before their end, bytes. */
  readonly memoryBytesFreed: number;
  /** CPU time that the ended processes had used, seconds. */
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
   * Ends the run's processes on the node by process group, and no others. `all`: every process, and the run's scratch
   * folder is removed. `lean`: only Lean, for a run that continues with its scratch folder and engine.
   */
  cleanUp(run: string, what?: CleanUpScope): Promise<CleanUpReport>;
  /**
   * Removes leftovers: processes of runs whose worker is dead, scratch folders of dead commands and, if the open runs
   * are given, processes that this worker holds for closed runs.
   */
  sweep(openRuns: readonly string[] | null): Promise<CleanUpReport>;
  /** Returns the runs that have a scratch folder on this node. */
  runsWithFiles(): Promise<readonly string[]>;
  release(run: string): Promise<void>;
}
