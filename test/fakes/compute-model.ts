/**
 * Simulates Compute Engine's instances, without HTTP: inserts fail late without capacity or quota, spot instances are
 * preempted, and deletions take time. The test moves the clock. Deleted instances stay in a list, so that a test can
 * see what was paid for.
 */
import { ApiError } from './api-error.ts';
import type { FakeClock } from './clock.ts';

const STARTING_MS = 30_000;
const STOPPING_MS = 30_000;

export interface ModelInstance {
  readonly name: string;
  readonly properties: Properties;
  readonly createdAtMs: number;
  readonly address: string;
  status: 'PROVISIONING' | 'RUNNING' | 'STOPPING' | 'TERMINATED' | 'GONE';
  changedAtMs: number;
}

export interface Properties {
  readonly machineType?: string;
  readonly labels?: Record<string, string>;
  readonly scheduling?: {
    readonly instanceTerminationAction?: string;
    readonly maxRunDuration?: { readonly seconds?: string };
  };
}

export type OperationErrors = { code: string; message: string }[];

export class ComputeModel {
  /** All instances that ever existed. */
  readonly instances: ModelInstance[] = [];
  /** Operation names by request id: a repeated request begins no new operation. */
  readonly requestIds = new Map<string, string>();
  /** Instances that the zone can hold now. */
  capacity = Number.POSITIVE_INFINITY;
  /** Instances that the project may have. */
  quota = Number.POSITIVE_INFINITY;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  reset(): void {
    this.instances.length = 0;
    this.requestIds.clear();
    this.capacity = Number.POSITIVE_INFINITY;
    this.quota = Number.POSITIVE_INFINITY;
  }

  live(): ModelInstance[] {
    this.settle();
    return this.instances.filter((one) => one.status !== 'GONE');
  }

  get(name: string): ModelInstance {
    const found = this.live().find((one) => one.name === name);
    if (found === undefined) throw notFound('instances', name);
    return found;
  }

  /** Inserts an instance. Returns the operation's errors; then no instance was made. */
  insert(name: string, properties: Properties): OperationErrors {
    if (this.live().some((one) => one.name === name)) throw alreadyThere('instances', name);
    return this.#make(name, properties);
  }

  delete(name: string): void {
    this.#stop(this.get(name));
  }

  /** Preempts a spot instance. */
  preempt(name: string): void {
    const one = this.get(name);
    if (one.properties.scheduling?.instanceTerminationAction === 'DELETE') this.#stop(one);
    else this.#enter(one, 'TERMINATED');
  }

  settle(): void {
    const now = this.#clock.now();
    for (const one of this.instances) {
      const seconds = Number(one.properties.scheduling?.maxRunDuration?.seconds ?? Number.POSITIVE_INFINITY);
      if (one.status === 'PROVISIONING' && now - one.changedAtMs >= STARTING_MS) this.#enter(one, 'RUNNING');
      if (one.status === 'RUNNING' && now - one.createdAtMs >= seconds * 1_000) this.#stop(one);
      if (one.status === 'STOPPING' && now - one.changedAtMs >= STOPPING_MS) this.#enter(one, 'GONE');
    }
  }

  #make(name: string, properties: Properties): OperationErrors {
    const now = this.#clock.now();
    const count = this.instances.filter((one) => one.status !== 'GONE').length;
    if (count >= this.quota)
      return [
        {
          code: 'QUOTA_EXCEEDED',
          message: `Quota 'NVIDIA_A100_GPUS' exceeded. Limit: ${this.quota}.0 in region us-central1.`,
        },
      ];
    if (count >= this.capacity)
      return [
        {
          code: 'ZONE_RESOURCE_POOL_EXHAUSTED',
          message:
            'The zone does not have enough resources available to fulfill the request. Try a different zone, or try again later.',
        },
      ];
    const address = `10.1.0.${this.instances.length + 2}`;
    this.instances.push({
      name,
      properties,
      createdAtMs: now,
      address,
      status: 'PROVISIONING',
      changedAtMs: now,
    });
    return [];
  }

  #stop(one: ModelInstance): void {
    if (one.status !== 'STOPPING' && one.status !== 'GONE') this.#enter(one, 'STOPPING');
  }

  #enter(one: ModelInstance, status: ModelInstance['status']): void {
    one.status = status;
    one.changedAtMs = this.#clock.now();
  }
}

const notFound = (collection: string, name: string): ApiError =>
  new ApiError('NOT_FOUND', `The resource '${collection}/${name}' was not found`, 'notFound');
const alreadyThere = (collection: string, name: string): ApiError =>
  new ApiError('ALREADY_EXISTS', `The resource '${collection}/${name}' already exists`, 'alreadyExists');
