/** The `Nodes` port: machines that run generation, training and Lean. This machine here; TPU and GPU fleets later. */

export interface NodeDescription {
  readonly name: string;
  /** Task queue of the worker on that node. */
  readonly taskQueue: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
}

/** What a clean-up found and gave back on one node. */
export interface CleanUpReport {
  readonly node: string;
  readonly processesEnded: number;
  /** Resident memory of the ended processes, bytes, just before they ended. */
  readonly memoryBytesFreed: number;
  /** CPU time the ended processes had used, seconds. */
  readonly cpuSecondsUsed: number;
  readonly scratchBytesFreed: number;
}

export interface Nodes {
  provision(run: string): Promise<readonly NodeDescription[]>;
  /** Ends every Lean process of the run on the node by process group, removes its scratch; touches nothing else. */
  cleanUp(run: string): Promise<CleanUpReport>;
  release(run: string): Promise<void>;
}
