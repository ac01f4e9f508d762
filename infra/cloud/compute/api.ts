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

export interface InstanceGroup {
  readonly name: string;
  readonly targetSize: number;
  readonly createdAtMs: number | null;
  readonly isStable: boolean;
}

/** An instance as its group sees it. */
export interface ManagedInstance {
  readonly name: string;
  readonly status: string;
  /** NONE, CREATING, RECREATING, DELETING … */
  readonly currentAction: string;
  /** Why the last attempt to make it failed: codes such as QUOTA_EXCEEDED, with messages. */
  readonly errors: readonly OperationError[];
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
  insertTemplate(project: string, body: object, requestId: string): Promise<OperationEnd>;
  listTemplates(project: string, filter: string): Promise<readonly { name: string; createdAtMs: number | null }[]>;
  deleteTemplate(project: string, name: string): Promise<void>;
  insertGroup(place: Place, body: object, requestId: string): Promise<OperationEnd>;
  getGroup(place: Place, name: string): Promise<InstanceGroup | null>;
  listGroups(place: Place, filter: string): Promise<readonly InstanceGroup[]>;
  listManagedInstances(place: Place, group: string): Promise<readonly ManagedInstance[]>;
  deleteGroup(place: Place, name: string): Promise<void>;
}
