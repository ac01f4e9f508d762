/**
 * Simulates TPU queued resources and nodes, without HTTP: a request waits for capacity, becomes active, may be
 * preempted, expires, and takes time to disappear. States follow google/cloud/tpu/v2/cloud_tpu.proto and the guide to
 * queued resources. The test moves the clock. Deleted nodes stay in a list, so that a test can see what was paid for.
 */

import { ApiError } from './api-error.ts';
import type { FakeClock } from './clock.ts';

export type RequestState =
  | 'CREATING'
  | 'ACCEPTED'
  | 'WAITING_FOR_RESOURCES'
  | 'PROVISIONING'
  | 'ACTIVE'
  | 'SUSPENDING'
  | 'SUSPENDED'
  | 'FAILED'
  | 'DELETING';
export type ModelNodeState = 'CREATING' | 'READY' | 'PREEMPTED' | 'DELETING' | 'GONE';

/** Times of the steps, ms. */
const ACCEPTED_AFTER_MS = 1_000;
const PROVISIONING_MS = 60_000;
const SUSPENDING_MS = 10_000;
const DELETING_MS = 20_000;

export interface ModelNode {
  readonly name: string;
  readonly queuedResource: string;
  readonly body: { readonly acceleratorType: string; readonly labels: Record<string, string> };
  readonly createdAtMs: number;
  readonly addresses: readonly string[];
  state: ModelNodeState;
  /** Start of the time that is paid for; it ends when the node is gone. */
  readyAtMs: number | null;
  goneAtMs: number | null;
}

export interface ModelRequest {
  readonly name: string;
  readonly body: QueuedBody;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  state: RequestState;
  changedAtMs: number;
  failure: { code: number; message: string } | null;
  nodes: ModelNode[];
}

interface QueuedBody {
  readonly tpu?: {
    readonly nodeSpec?: readonly {
      readonly parent?: string;
      readonly nodeId?: string;
      readonly multisliceParams?: { readonly nodeCount: number; readonly nodeIdPrefix?: string };
      readonly node?: {
        readonly acceleratorType?: string;
        readonly runtimeVersion?: string;
        readonly labels?: Record<string, string>;
      };
    }[];
  };
  readonly spot?: object;
  readonly queueingPolicy?: { readonly validUntilDuration?: string | { readonly seconds?: unknown } };
}

export class TpuModel {
  readonly requests = new Map<string, ModelRequest>();
  /** All nodes that ever existed. */
  readonly nodes: ModelNode[] = [];
  /** Whether there is capacity for this request now. */
  hasCapacity: (request: ModelRequest) => boolean = () => true;
  /** Whether the project may have the accelerator type; other requests are refused permanently. */
  quota: (acceleratorType: string) => boolean = () => true;
  readonly #clock: FakeClock;
  readonly #hosts: (acceleratorType: string) => number;

  constructor(clock: FakeClock, hosts: (acceleratorType: string) => number) {
    this.#clock = clock;
    this.#hosts = hosts;
  }

  /** Restores the initial state. */
  reset(): void {
    this.requests.clear();
    this.nodes.length = 0;
    this.hasCapacity = () => true;
    this.quota = () => true;
  }

  create(parent: string, id: string, body: QueuedBody): ModelRequest {
    this.settle();
    const name = `${parent}/queuedResources/${id}`;
    const spec = body.tpu?.nodeSpec?.[0];
    if (!/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(id)) throw new ApiError('INVALID_ARGUMENT', `bad id ${id}`);
    if (
      spec === undefined ||
      body.tpu?.nodeSpec?.length !== 1 ||
      !spec.node?.acceleratorType ||
      !spec.node.runtimeVersion
    )
      throw new ApiError('INVALID_ARGUMENT', 'a request has one node spec with accelerator type and runtime version');
    if ((spec.nodeId === undefined) === (spec.multisliceParams === undefined))
      throw new ApiError('INVALID_ARGUMENT', 'one of nodeId and multisliceParams must be set');
    if (spec.multisliceParams !== undefined && spec.multisliceParams.nodeCount < 2)
      throw new ApiError('INVALID_ARGUMENT', 'node_count must be greater than 1');
    if (this.requests.has(name)) throw new ApiError('ALREADY_EXISTS', `Resource '${name}' already exists`);
    if (!this.quota(spec.node.acceleratorType))
      throw new ApiError(
        'RESOURCE_EXHAUSTED',
        "Quota limit 'TPUV4sPodPerProjectPerZoneForTPUAPI' has been exceeded. Limit: 0 in zone us-central2-b.",
      );
    const now = this.#clock.now();
    const validFor = body.queueingPolicy?.validUntilDuration;
    const seconds =
      typeof validFor === 'string' ? Number(validFor.replace(/s$/, '')) : Number(validFor?.seconds ?? 1e9);
    const request: ModelRequest = {
      name,
      body,
      createdAtMs: now,
      expiresAtMs: now + seconds * 1_000,
      state: 'CREATING',
      changedAtMs: now,
      failure: null,
      nodes: [],
    };
    this.requests.set(name, request);
    return request;
  }

  get(name: string): ModelRequest {
    this.settle();
    const found = this.requests.get(name);
    if (found === undefined) throw new ApiError('NOT_FOUND', `Resource '${name}' was not found`);
    return found;
  }

  list(parent: string): ModelRequest[] {
    this.settle();
    return [...this.requests.values()].filter((one) => one.name.startsWith(`${parent}/`));
  }

  /** Deletes a resource. Without `force` it must have no nodes. */
  delete(name: string, force: boolean): void {
    const request = this.get(name);
    const holdsNodes = request.nodes.some((node) => node.state !== 'GONE');
    if (holdsNodes && !force)
      throw new ApiError('FAILED_PRECONDITION', `${name} has nodes; delete them first or use force`);
    if (request.state === 'DELETING') throw new ApiError('FAILED_PRECONDITION', `${name} is being deleted`);
    this.#enter(request, 'DELETING');
    for (const node of request.nodes) if (node.state !== 'GONE') node.state = 'DELETING';
  }

  getNode(name: string): ModelNode {
    this.settle();
    const found = this.liveNodes().find((node) => node.name === name);
    if (found === undefined) throw new ApiError('NOT_FOUND', `Resource '${name}' was not found`);
    return found;
  }

  listNodes(parent: string): ModelNode[] {
    this.settle();
    return this.liveNodes().filter((node) => node.name.startsWith(`${parent}/`));
  }

  deleteNode(name: string): void {
    this.#goneNow(this.getNode(name));
  }

  /** Preempts a spot slice: its node becomes PREEMPTED, the request SUSPENDED. */
  preempt(name: string): void {
    const request = this.get(name);
    if (request.state !== 'ACTIVE') return;
    for (const node of request.nodes) node.state = 'PREEMPTED';
    this.#enter(request, 'SUSPENDING');
  }

  /** Returns the nodes that cost money now. */
  billed(): ModelNode[] {
    this.settle();
    return this.liveNodes().filter((node) => node.readyAtMs !== null && node.state !== 'PREEMPTED');
  }

  liveNodes(): ModelNode[] {
    return this.nodes.filter((node) => node.state !== 'GONE');
  }

  /** Carries out all changes that are due. */
  settle(): void {
    for (const request of [...this.requests.values()]) while (this.#step(request));
  }

  #step(request: ModelRequest): boolean {
    const now = this.#clock.now();
    const age = now - request.changedAtMs;
    switch (request.state) {
      case 'CREATING':
        return age >= ACCEPTED_AFTER_MS && this.#enter(request, 'ACCEPTED');
      case 'ACCEPTED':
        return this.#enter(request, 'WAITING_FOR_RESOURCES');
      case 'WAITING_FOR_RESOURCES':
        if (now >= request.expiresAtMs) {
          request.failure = { code: 8, message: 'The valid until constraint of the request expired.' };
          return this.#enter(request, 'FAILED');
        }
        if (!this.hasCapacity(request)) return false;
        this.#makeNodes(request);
        return this.#enter(request, 'PROVISIONING');
      case 'PROVISIONING':
        if (age < PROVISIONING_MS) return false;
        for (const node of request.nodes) {
          node.state = 'READY';
          node.readyAtMs = now;
        }
        return this.#enter(request, 'ACTIVE');
      case 'SUSPENDING':
        return age >= SUSPENDING_MS && this.#enter(request, 'SUSPENDED');
      case 'DELETING':
        if (age < DELETING_MS) return false;
        for (const node of request.nodes) this.#goneNow(node);
        this.requests.delete(request.name);
        return false;
      default:
        return false;
    }
  }

  #enter(request: ModelRequest, state: RequestState): true {
    request.state = state;
    request.changedAtMs = this.#clock.now();
    return true;
  }

  #goneNow(node: ModelNode): void {
    node.state = 'GONE';
    node.goneAtMs ??= this.#clock.now();
  }

  #makeNodes(request: ModelRequest): void {
    const spec = request.body.tpu!.nodeSpec![0]!;
    const { multisliceParams: slices, nodeId, parent } = spec;
    const id = request.name.slice(request.name.lastIndexOf('/') + 1);
    const ids =
      slices === undefined
        ? [nodeId!]
        : Array.from({ length: slices.nodeCount }, (_, index) => `${slices.nodeIdPrefix ?? id}-${index}`);
    const { acceleratorType, labels = {} } = spec.node!;
    for (const one of ids) {
      const name = `${parent}/nodes/${one}`;
      if (this.liveNodes().some((node) => node.name === name)) throw new Error(`two nodes of one name: ${name}`);
      const node: ModelNode = {
        name,
        queuedResource: request.name,
        body: { acceleratorType: acceleratorType!, labels },
        createdAtMs: this.#clock.now(),
        addresses: Array.from(
          { length: this.#hosts(acceleratorType!) },
          (_, host) => `10.0.${this.nodes.length}.${host + 2}`,
        ),
        state: 'CREATING',
        readyAtMs: null,
        goneAtMs: null,
      };
      this.nodes.push(node);
      request.nodes.push(node);
    }
  }
}
