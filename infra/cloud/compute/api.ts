/** The part of the Compute Engine API v1 that is used here, in plain values. `google-api.ts` implements it. */

export interface Instance {
  /** Name in its zone. */
  readonly name: string;
  /** PROVISIONING, STAGING, RUNNING, STOPPING, TERMINATED, SUSPENDED, REPAIRING, PENDING … */
  readonly status: string;
  /** Name without its path; empty if the API omits it. */
  readonly machineType: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAtMs: number | null;
  readonly address: string | null;
}

export interface OperationError {
  readonly code: string;
  readonly message: string;
}

/** State of an operation after one call, and its error if it failed. */
export interface OperationEnd {
  readonly done: boolean;
  readonly errors: readonly OperationError[];
}

/** Project and zone of machines. */
export interface Location {
  readonly project: string;
  readonly zone: string;
}

/** Methods throw the client library's errors. A missing object is null, and deleting it counts as done. */
export interface ComputeApi {
  /** Waits for the operation, for at most two minutes. */
  insertInstance(location: Location, body: object, requestId: string): Promise<OperationEnd>;
  getInstance(location: Location, name: string): Promise<Instance | null>;
  /** `filter` has the API's syntax: `labels.stp-run=…`. */
  listInstances(location: Location, filter: string): Promise<readonly Instance[]>;
  deleteInstance(location: Location, name: string): Promise<void>;
}
