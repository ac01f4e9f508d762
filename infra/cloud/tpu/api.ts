/**
 * The part of the TPU API v2 that is used here, in plain values. `google-api.ts` implements it; the simulation has its
 * own implementation.
 */
import type { NodeState, QueuedResourceState } from './states.ts';

export interface QueuedResource {
  /** `projects/P/locations/Z/queuedResources/ID` */
  readonly name: string;
  readonly state: QueuedResourceState;
  /** Full names of its nodes, in the order of slices. */
  readonly nodes: readonly string[];
  /** The requested type; null if the API omits it. */
  readonly acceleratorType: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** ms since 1970 */
  readonly createdAtMs: number | null;
  /** Reason of the failure; null if it did not fail. */
  readonly failure: { readonly code: number; readonly message: string } | null;
}

export interface TpuNode {
  /** `projects/P/locations/Z/nodes/ID` */
  readonly name: string;
  readonly state: NodeState;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAtMs: number | null;
  /** Addresses of its hosts, in the order of worker numbers. */
  readonly addresses: readonly string[];
  readonly healthDescription: string;
}

/** A queued resource in the REST API's form. */
export interface QueuedResourceBody {
  readonly tpu: {
    readonly nodeSpec: readonly [
      {
        readonly parent: string;
        readonly nodeId?: string;
        readonly multisliceParams?: { readonly nodeCount: number; readonly nodeIdPrefix: string };
        readonly node: {
          readonly acceleratorType: string;
          readonly runtimeVersion: string;
          readonly networkConfig: {
            readonly network: string;
            readonly subnetwork?: string;
            readonly enableExternalIps: boolean;
          };
          readonly serviceAccount?: { readonly email: string; readonly scope: readonly string[] };
          readonly labels: Readonly<Record<string, string>>;
          readonly metadata: Readonly<Record<string, string>>;
          readonly schedulingConfig?: { readonly reserved: true };
        };
      },
    ];
  };
  readonly spot?: Record<string, never>;
  readonly guaranteed?: Record<string, never>;
  readonly reservationName?: string;
  readonly queueingPolicy: { readonly validUntilDuration: string };
}

/**
 * Methods throw the client library's errors, with a gRPC code. A missing object is null, and deleting it counts as
 * done.
 */
export interface TpuApi {
  /** Returns when the request is accepted or refused, before the machines exist. */
  createQueuedResource(parent: string, id: string, body: QueuedResourceBody, requestId: string): Promise<void>;
  getQueuedResource(name: string): Promise<QueuedResource | null>;
  listQueuedResources(parent: string): Promise<readonly QueuedResource[]>;
  /** Deletes the resource with its nodes. Returns when the deletion is accepted. */
  deleteQueuedResource(name: string): Promise<void>;
  getNode(name: string): Promise<TpuNode | null>;
  listNodes(parent: string): Promise<readonly TpuNode[]>;
  deleteNode(name: string): Promise<void>;
}
