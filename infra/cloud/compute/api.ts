/** The part of the Compute Engine API v1 that is used here, in plain values. `google-api.ts` is the real one. */

export interface Instance {
  /** Name in its zone. */
  readonly name: string;
  /** PROVISIONING, STAGING, RUNNING, STOPPING, TERMINATED, SUSPENDED, REPAIRING, PENDING … */
  readonly status: string;
  /** Its name alone; empty where the API does not say. */
  readonly machineType: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAtMs: number | null;
  readonly address: string | null;
}

export interface OperationError {
  readonly code: string;
  readonly message: string;
}

/** How far an operation came in the time of one call, and what went wrong with it. */
export interface OperationEnd {
  readonly done: boolean;
  readonly errors: readonly OperationError[];
}

/** The place of one project's machines. */
export interface Place {
  readonly project: string;
  readonly zone: string;
}

/** Methods throw the client library's errors; what is not there is null, or done where it is deleted. */
export interface ComputeApi {
  /** Waits for the operation, at most two minutes. */
  insertInstance(place: Place, body: object, requestId: string): Promise<OperationEnd>;
  getInstance(place: Place, name: string): Promise<Instance | null>;
  /** `filter` as in the API: `labels.stp-run=…`. */
  listInstances(place: Place, filter: string): Promise<readonly Instance[]>;
  deleteInstance(place: Place, name: string): Promise<void>;
}
