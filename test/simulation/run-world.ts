/**
 * Simulates one run on cloud machines with faults, from a seed. The workflow's provisioning logic, the TPU provider and
 * `once` are real; cloud, store, workers and clock are simulated. Slices are preempted, and capacity changes. Calls and
 * activities fail before or after their effect, or are lost and take effect late. A person cancels; the run continues
 * as new, or is terminated. Invariants are checked after every event.
 */

import { nodesConfigSchema, type TpuConfig } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { z } from 'zod';
import { once } from '../../activities/records/record-files.ts';
import { tpuProvider } from '../../infra/cloud/tpu/provider.ts';
import { runLabel } from '../../infra/nodes/names.ts';
import type { NodeSet } from '../../infra/nodes/provider.ts';
import { type NodesInUse, withNodes } from '../../workflows/nodes/provisioning.ts';
import type { HeldNodes, ProvisioningSteps } from '../../workflows/nodes/provisioning-steps.ts';
import { fakeClock } from '../fakes/clock.ts';
import { TpuModel } from '../fakes/tpu-model.ts';
import { Activities, ActivityFailed } from './activities.ts';
import { modelApi } from './cloud-api.ts';
import { waitingSteps } from './looking.ts';
import { memoryStore } from './memory-store.ts';
import { type Random, randomFrom } from './random.ts';
import { Cancelled, Scheduler } from './scheduler.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Interval at which the janitor releases machines of closed runs. */
const SWEEP_EVERY_MS = HOUR_MS;
/** Additional time for a sweep: deletions take time, and its calls fail too. */
const SWEEP_SLACK_MS = 30 * MINUTE_MS;
const PARENT = 'projects/test-project/locations/us-central2-b';
const RUN = 'simulated-00000000';
const LOOK_EVERY_MS = 4 * MINUTE_MS;

class Failed extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
class DeadHost extends Error {
  override readonly name = 'DeadHost';
}
class ContinuedAsNew extends Error {
  override readonly name = 'ContinuedAsNew';
  readonly held: HeldNodes | null;
  constructor(held: HeldNodes | null) {
    super('continue as new');
    this.held = held;
  }
}

export interface Played {
  /** `done`, `cancelled`, `terminated`, or the code of its failure. */
  readonly outcome: string;
  readonly roundsDone: number;
  readonly rounds: number;
  readonly generations: number;
  readonly preemptions: number;
  readonly virtualHours: number;
  readonly log: readonly string[];
}

/** Plays the seed. Throws if an invariant is broken, and names it. */
export async function playRun(seed: number): Promise<Played> {
  return new World(seed).play();
}

class World {
  readonly #random: Random;
  readonly #clock = fakeClock();
  readonly #scheduler = new Scheduler(this.#clock);
  readonly #model = new TpuModel(this.#clock, () => 2);
  readonly #activities: Activities;
  readonly #store;
  readonly #provider;
  readonly #config: TpuConfig;
  readonly #rounds: number;
  /** Preemptions per hour and active request. */
  readonly #preemptionsPerHour: number;
  readonly #committed = new Map<number, string>();
  #outcome: string | null = null;
  #closedAtMs = 0;
  #broken: string | null = null;
  /** Whether the body of the run is in progress: between the first request for machines and their release. */
  #isWorking = false;
  #firstReadyMs: number | null = null;
  #generations = 0;
  #preemptions = 0;

  constructor(seed: number) {
    const random = randomFrom(seed);
    this.#random = random;
    // The seed also decides the mix of faults: some worlds have none, some have only one kind.
    const some = (high: number): number => (random.chance(0.4) ? 0 : random.next() * high);
    this.#activities = new Activities(random, this.#scheduler, {
      failBefore: some(0.2),
      failAfter: some(0.2),
      lost: some(0.15),
      lateMsMax: 10 * MINUTE_MS,
    });
    this.#store = memoryStore(random, { before: some(0.2), after: some(0.2) });
    const api = modelApi(this.#model, random, this.#scheduler, {
      failBefore: some(0.15),
      failAfter: some(0.15),
      listBehindMs: Math.round(some(MINUTE_MS)),
      slow: some(0.3),
    });
    this.#config = nodesConfigSchema.parse({
      provider: 'tpu',
      project: 'test-project',
      zone: 'us-central2-b',
      accelerator: 'v4-16',
      tier: 'spot',
      hoursMax: random.pick([3, 24, 200, 200]),
      validUntilMinutes: random.pick([30, 12 * 60, 48 * 60]),
    }) as TpuConfig;
    this.#provider = tpuProvider(this.#config, api, () => ({}));
    this.#rounds = random.between(1, 5);
    this.#preemptionsPerHour = some(1);
    const [closedMs, openMs] = [random.between(0, 3) * HOUR_MS, random.between(1, 6) * HOUR_MS];
    this.#model.hasCapacity = () => (this.#clock.now() - START_MS) % (closedMs + openMs) >= closedMs;
    if (random.chance(0.03)) this.#model.quota = () => false;
  }

  async play(): Promise<Played> {
    const person = this.#scheduler.scope();
    if (this.#random.chance(0.35)) {
      // A person may cancel at any step: after a number of attempts of any activity.
      let stepsLeft = this.#random.chance(0.4) ? this.#random.between(1, 3) : this.#random.between(1, 60);
      this.#activities.beforeStep = () => {
        stepsLeft -= 1;
        if (stepsLeft === 0) person.cancel();
      };
    }
    this.#scheduler.after(this.#random.between(1, SWEEP_EVERY_MS), () => void this.#sweepOn());
    this.#scheduler.after(LOOK_EVERY_MS, () => this.#preemptOn());
    if (this.#random.chance(0.1))
      this.#scheduler.after(this.#random.between(MINUTE_MS, 10 * HOUR_MS), () => {
        this.#activities.freeze();
        this.#close('terminated');
      });
    person
      .run(() => this.#run(null))
      .then(
        () => this.#close('done'),
        (error: unknown) => this.#close(error instanceof Failed ? error.code : (error as Error).name),
      );
    // Continues after the end until every late effect has happened and was swept.
    const isOver = (): boolean => this.#outcome !== null && this.#clock.now() > this.#closedAtMs + 3 * HOUR_MS;
    await this.#scheduler.run(isOver, () => this.#look());
    this.#lookAtTheEnd();
    const hours = (this.#closedAtMs - START_MS) / HOUR_MS;
    return {
      outcome: this.#outcome!,
      roundsDone: this.#committed.size,
      rounds: this.#rounds,
      generations: this.#generations,
      preemptions: this.#preemptions,
      virtualHours: hours,
      log: this.#activities.log,
    };
  }

  #close(outcome: string): void {
    if (this.#outcome !== null) return;
    this.#outcome = outcome;
    this.#closedAtMs = this.#clock.now();
    this.#activities.note(`the run is closed: ${outcome}`);
    if (outcome === 'terminated') return;
    const asking = [...this.#activities.underWay].filter((name) => name.startsWith('request'));
    if (asking.length > 0) this.#broken = `the run closed (${outcome}) while it was still asking: ${asking.join(', ')}`;
    if (this.#activities.lostAttempts > 0) return;
    // Without pending effects all machines of the run are gone when it closes.
    const live = [...this.#model.requests.keys()];
    if (live.length > 0) this.#broken = `the run closed (${outcome}) with ${live.join(', ')}`;
  }

  async #run(carried: HeldNodes | null): Promise<void> {
    const limits = {
      validUntilMs: this.#config.validUntilMinutes * MINUTE_MS,
      heldMsMax: this.#config.hoursMax * HOUR_MS,
    };
    const isContinuing = (thrown: unknown): boolean => thrown instanceof ContinuedAsNew;
    try {
      await withNodes(this.#steps(), limits, carried, isContinuing, (nodes) => this.#body(nodes, carried));
    } catch (thrown) {
      if (!(thrown instanceof ContinuedAsNew)) throw thrown;
      await this.#run(thrown.held);
    }
  }

  async #body(nodes: NodesInUse, carried: HeldNodes | null): Promise<void> {
    this.#isWorking = true;
    try {
      await this.#playRounds(nodes, carried);
    } finally {
      this.#isWorking = false;
    }
  }

  async #playRounds(nodes: NodesInUse, carried: HeldNodes | null): Promise<void> {
    for (let round = this.#committed.size; round < this.#rounds; round += 1) {
      if (carried === null && round > 0 && this.#random.chance(0.1)) throw new ContinuedAsNew(nodes.held);
      try {
        await nodes.use((held) => this.#playRound(held, round));
      } catch (error) {
        // A person has it tried again.
        if (!(error instanceof ActivityFailed)) throw error;
        await this.#steps().sleep(this.#random.between(1, 60) * MINUTE_MS);
        round -= 1;
      }
    }
  }

  /**
   * Plays a round: trains on all machines, writes the parts of a checkpoint, its manifest and, last, the round's
   * object.
   */
  async #playRound(held: HeldNodes, round: number): Promise<void> {
    this.#firstReadyMs ??= held.sinceMs;
    const store = this.#store as unknown as ObjectStore;
    const done = await this.#activities.run(`round ${round} on set ${held.generation}`, () =>
      once(store, `rounds/${round}.json`, z.strictObject({ model: z.string() }), async () => {
        await this.#work(held, this.#random.between(5, 180) * MINUTE_MS);
        // The model depends only on the round, since a result is a function of its inputs.
        const model = `model-${round}`;
        const parts = [0, 1, 2].map((part) => `checkpoints/${model}/${part}`);
        for (const part of parts) await store.put(part, `weights of ${part}`);
        await store.put(`checkpoints/${model}/files.json`, JSON.stringify(parts));
        return { model };
      }),
    );
    const before = this.#committed.get(round);
    if (before !== undefined && before !== done.model) throw new Error(`round ${round} has two results`);
    this.#committed.set(round, done.model);
  }

  /** Simulates work that needs all machines of the set from beginning to end. */
  async #work(held: HeldNodes, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_EVERY_MS) {
      if (!this.#isThere(held.generation)) throw new DeadHost(`set ${held.generation} is gone`);
      await this.#scheduler.pause(Math.min(left, LOOK_EVERY_MS));
    }
  }

  #isThere(generation: number): boolean {
    const request = this.#model.requests.get(nameOf(generation));
    return request?.state === 'ACTIVE' && request.nodes.every((node) => node.state === 'READY');
  }

  #steps(): ProvisioningSteps {
    const { now } = this.#clock;
    const at = (generation: number): NodeSet => ({ run: RUN, generation });
    const run = <T>(name: string, work: () => Promise<T>): Promise<T> => this.#activities.run(name, work);
    const sleep = (ms: number): Promise<void> => this.#activities.unlessFrozen(this.#scheduler.sleep(ms));
    return {
      ...waitingSteps({
        request: (generation, attempt) => {
          this.#generations = Math.max(this.#generations, generation);
          return this.#scheduler.shielded(() =>
            run(`request ${generation}`, () => this.#provider.request(at(generation), attempt)),
          );
        },
        state: (generation) => run(`state ${generation}`, () => this.#provider.state(at(generation))),
        release: (last) => run('release', () => this.#provider.release(runLabel(RUN), last === 0 ? null : at(last))),
        sleep,
        now,
      }),
      watch: (generation, untilMs) =>
        run(`watch ${generation}`, async () => {
          for (;;) {
            if (now() >= untilMs) return { kind: 'over' };
            const state = await this.#provider.state(at(generation)).catch(() => null);
            if (state !== null && state.kind !== 'ready' && state.kind !== 'waiting')
              return { kind: 'lost', reason: state.kind };
            await this.#scheduler.pause(Math.min(LOOK_EVERY_MS, Math.max(1, untilMs - now())));
            // A watch without a waiting caller ends at its next heartbeat.
            if (this.#outcome !== null) return { kind: 'over' };
          }
        }),
      begin: async (hostQueue) => {
        await this.#scheduler.sleep(this.#random.between(1, 20) * MINUTE_MS);
        const generation = Number(/-g(\d+)\//.exec(hostQueue)![1]);
        if (!this.#isThere(generation)) throw new DeadHost(hostQueue);
      },
      end: () => this.#scheduler.pause(10),
      answers: async (hostQueue) => {
        await this.#scheduler.sleep(1_000);
        return this.#isThere(Number(/-g(\d+)\//.exec(hostQueue)![1]));
      },
      sleep,
      now,
      scope: () => this.#scheduler.scope(),
      shielded: (work) => this.#scheduler.shielded(work),
      isCancellation: (error) => error instanceof Cancelled,
      isDeadHost: (error) =>
        error instanceof DeadHost || (error instanceof ActivityFailed && error.cause instanceof DeadHost),
      failure: (code, message) => new Failed(code, message),
      say: (line) => this.#activities.note(line),
    };
  }

  async #sweepOn(): Promise<void> {
    try {
      if (this.#outcome !== null)
        await this.#scheduler.shielded(async () => {
          while (
            (await this.#provider.release(runLabel(RUN), null).catch(() => ({ left: ['unknown'] }))).left.length > 0
          )
            await this.#scheduler.pause(MINUTE_MS);
        });
    } finally {
      this.#scheduler.after(SWEEP_EVERY_MS, () => void this.#sweepOn());
    }
  }

  #preemptOn(): void {
    const perLook = (this.#preemptionsPerHour * LOOK_EVERY_MS) / HOUR_MS;
    for (const request of this.#model.list(PARENT))
      if (request.state === 'ACTIVE' && this.#random.chance(perLook)) {
        this.#activities.note(`${request.name} is taken away`);
        this.#model.preempt(request.name);
        this.#preemptions += 1;
      }
    this.#scheduler.after(LOOK_EVERY_MS, () => this.#preemptOn());
  }

  #look(): void {
    const now = this.#clock.now();
    const claim = (holds: boolean, what: string): void => {
      if (!holds)
        throw new Error(
          `${what} at ${now - START_MS} ms; the last steps:\n${this.#activities.log.slice(-30).join('\n')}`,
        );
    };
    claim(this.#broken === null, this.#broken ?? '');
    claim(now - START_MS < 60 * DAY_MS, 'the run never ends');
    if (this.#outcome !== null && now > this.#closedAtMs + SWEEP_EVERY_MS + SWEEP_SLACK_MS + 10 * MINUTE_MS)
      claim(this.#model.billed().length === 0, 'something is paid for long after its run');
    // A round's object exists only if all its references exist, and a finished round stays unchanged.
    for (const [round, model] of this.#committed) {
      const { objects } = this.#store;
      const parts = JSON.parse(String(objects.get(`checkpoints/${model}/files.json`) ?? '["missing"]')) as string[];
      claim(objects.has(`rounds/${round}.json`), `round ${round} is lost`);
      claim(
        parts.every((part) => String(objects.get(part)) === `weights of ${part}`),
        `the checkpoint of round ${round} is damaged`,
      );
    }
    // The guard counts from the first machines and does not interrupt a request in progress.
    if (this.#firstReadyMs !== null && this.#outcome === null && this.#isWorking)
      claim(
        now - this.#firstReadyMs < this.#config.hoursMax * HOUR_MS + HOUR_MS,
        'the run goes on after its cost guard',
      );
  }

  #lookAtTheEnd(): void {
    const outcome = this.#outcome ?? 'never closed';
    const live = [...this.#model.requests.keys(), ...this.#model.liveNodes().map((node) => node.name)];
    const claim = (holds: boolean, what: string): void => {
      if (!holds)
        throw new Error(`${what}; outcome ${outcome}; the last steps:\n${this.#activities.log.slice(-30).join('\n')}`);
    };
    claim(live.length === 0, `left behind: ${live.join(', ')}`);
    claim(
      ['done', 'Cancelled', 'terminated', 'STP1602', 'STP1604', 'STP1606', 'ActivityFailed'].includes(outcome),
      'an end that nobody planned',
    );
    if (outcome === 'done') claim(this.#committed.size === this.#rounds, 'done with rounds missing');
  }
}

const START_MS = fakeClock().now();
const nameOf = (generation: number): string => `${PARENT}/queuedResources/${runLabel(RUN)}-g${generation}`;
