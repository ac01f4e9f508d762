/**
 * Compute Engine's instances, templates and managed groups, without HTTP: inserts that fail late for want of capacity or
 * quota, spot instances that are taken away, groups that make lost instances anew, things that take time to go. Time is a
 * clock that the test moves. Every instance that ever was is kept, for what was paid for.
 */
import { ApiError } from './api-error.ts';
import type { FakeClock } from './clock.ts';

const STARTING_MS = 30_000;
const STOPPING_MS = 30_000;

export interface ModelInstance {
  readonly name: string;
  readonly properties: Properties;
  readonly group: string | null;
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

export interface ModelGroup {
  readonly name: string;
  readonly base: string;
  readonly template: string;
  readonly targetSize: number;
  readonly createdAtMs: number;
  deleting: boolean;
  errors: OperationErrors;
}

export type OperationErrors = { code: string; message: string }[];

export class ComputeModel {
  /** All that ever were. */
  readonly instances: ModelInstance[] = [];
  readonly templates = new Map<string, { name: string; properties: Properties; createdAtMs: number }>();
  readonly groups = new Map<string, ModelGroup>();
  /** Name of the operation that a request id began: the same asking again begins nothing. */
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
    this.templates.clear();
    this.groups.clear();
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

  /** The error of an operation; nothing was made then. */
  insert(name: string, properties: Properties): OperationErrors {
    if (this.live().some((one) => one.name === name)) throw alreadyThere('instances', name);
    return this.#make(name, properties, null);
  }

  delete(name: string): void {
    this.#stop(this.get(name));
  }

  insertTemplate(name: string, properties: Properties): void {
    if (this.templates.has(name)) throw alreadyThere('instanceTemplates', name);
    this.templates.set(name, { name, properties, createdAtMs: this.#clock.now() });
  }

  deleteTemplate(name: string): void {
    this.settle();
    if (!this.templates.has(name)) throw notFound('instanceTemplates', name);
    const user = [...this.groups.values()].find((group) => group.template === name);
    if (user !== undefined)
      throw new ApiError(
        'INVALID_ARGUMENT',
        `The instance_template resource '${name}' is already being used by '${user.name}'`,
        'resourceInUseByAnotherResource',
      );
    this.templates.delete(name);
  }

  insertGroup(name: string, body: { baseInstanceName: string; targetSize: number; instanceTemplate: string }): void {
    this.settle();
    if (this.groups.has(name)) throw alreadyThere('instanceGroupManagers', name);
    const template = body.instanceTemplate.slice(body.instanceTemplate.lastIndexOf('/') + 1);
    if (!this.templates.has(template)) throw notFound('instanceTemplates', template);
    const { baseInstanceName: base, targetSize } = body;
    const createdAtMs = this.#clock.now();
    this.groups.set(name, { name, base, template, targetSize, createdAtMs, deleting: false, errors: [] });
    this.settle();
  }

  getGroup(name: string): ModelGroup {
    this.settle();
    const found = this.groups.get(name);
    if (found === undefined) throw notFound('instanceGroupManagers', name);
    return found;
  }

  deleteGroup(name: string): void {
    const group = this.getGroup(name);
    group.deleting = true;
    for (const one of this.membersOf(name)) this.#stop(one);
  }

  membersOf(group: string): ModelInstance[] {
    return this.instances.filter((one) => one.group === group && one.status !== 'GONE');
  }

  /** The cloud takes a spot instance away. */
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
    for (const group of [...this.groups.values()]) {
      const members = this.membersOf(group.name);
      if (group.deleting) {
        if (members.length === 0) this.groups.delete(group.name);
        continue;
      }
      const taken = new Set(members.map((one) => one.name));
      const { properties } = this.templates.get(group.template)!;
      for (let index = 0; index < group.targetSize; index += 1) {
        const name = `${group.base}-${'abcdefghij'[index % 10]}${String(index).padStart(3, '0')}`;
        if (!taken.has(name)) group.errors = this.#make(name, properties, group.name);
      }
    }
  }

  #make(name: string, properties: Properties, group: string | null): OperationErrors {
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
      group,
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
