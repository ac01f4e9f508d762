/**
 * The part of the TPU API v2 that is used here, in plain values. `google-api.ts` is the real one; the simulation has
 * its own.
 */
import type { NodeState, QueuedResourceState } from './states.ts';

export interface QueuedResource {
  /** `projects/P/locations/Z/queuedResources/ID` */
  readonly name: string;
  readonly state: QueuedResourceState;
  /** Full names of its nodes, in the order of slices. */
  readonly nodes: readonly string[];
  /** The type that was asked for; null if the API does not say. */
  readonly acceleratorType: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** ms since 1970 */
  readonly createdAtMs: number | null;
  /** Why it failed; null where it did not. */
  readonly failure: { readonly code: number; readonly message: string } | null;
}

export interface TpuNode {
  /** `projects/P/locations/Z/nodes/ID` */
  readonly name: string;
  readonly state: NodeState;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAtMs: number | null;
  /** Addresses of its hosts, in the order of their worker numbers. */
  readonly addresses: readonly string[];
  readonly healthDescription: string;
}

/** A queued resource as the REST API takes it. */
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

/** Methods throw the client library's errors, with a gRPC code; what is not there is null, or done where it is deleted. */
export interface TpuApi {
  /** Returns once the request is accepted or refused, not when the machines are there. */
  createQueuedResource(parent: string, id: string, body: QueuedResourceBody, requestId: string): Promise<void>;
  getQueuedResource(name: string): Promise<QueuedResource | null>;
  listQueuedResources(parent: string): Promise<readonly QueuedResource[]>;
  /** With its nodes. Returns once the deletion is accepted. */
  deleteQueuedResource(name: string): Promise<void>;
  getNode(name: string): Promise<TpuNode | null>;
  listNodes(parent: string): Promise<readonly TpuNode[]>;
  deleteNode(name: string): Promise<void>;
}
