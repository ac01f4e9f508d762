/**
 * Machines that cost by the hour, from the first request to the last deletion: requested, waited for, watched,
 * requested again when they are lost, and given back in every case. This code knows neither Temporal nor a cloud, only
 * steps that may fail and a clock. The workflow (`nodes.ts`) and the simulation of faults both run it.
 */
import type { Asked, NodeHost, NodesState, Released } from '../../infra/nodes/provider.ts';

/** Work that can be cancelled separately. */
export interface Scope {
  run<T>(work: () => Promise<T>): Promise<T>;
  cancel(): void;
}

export type WatchEnd = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'over' };

/** The steps that the logic uses. A step throws only after it was retried as often as is useful. */
export interface ProvisioningSteps {
  /**
   * Requests until the cloud accepts, or until `untilMs`. A cancellation waits for the current call, because the
   * resources that it made must be known when everything is given back.
   */
  request(generation: number, attempt: number, untilMs: number): Promise<Asked>;
  /**
   * Polls until the machines are ready, or will not come up by themselves, or until `untilMs`. At `untilMs` the result
   * may still be `waiting`.
   */
  state(generation: number, untilMs: number): Promise<NodesState>;
  /** Polls the machines; returns when they are lost, or `over` at `untilMs`. */
  watch(generation: number, untilMs: number): Promise<WatchEnd>;
  /**
   * Releases all sets, until nothing is left or until `untilMs`; null: without a limit. Also looks for set number
   * `last`, the last one requested, by its name, since a list may not show it yet; 0: none was requested.
   */
  release(last: number, untilMs: number | null): Promise<Released>;
  /** Waits until the machine's worker runs, and ends leftover processes. It is the first work on a machine. */
  begin(hostQueue: string): Promise<void>;
  /** Cleans a machine that may be gone. It is the last work on a machine. Never throws. */
  end(hostQueue: string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** ms since 1970 */
  now(): number;
  scope(): Scope;
  /** Runs to its end, also if the surrounding scope is cancelled. */
  shielded<T>(work: () => Promise<T>): Promise<T>;
  isCancellation(error: unknown): boolean;
  /** Could the failure mean that a machine's worker is lost? Lost workers of other queues look the same. */
  isDeadHost(error: unknown): boolean;
  /** Does the machine's worker answer now? Throws only for a cancellation. */
  answers(hostQueue: string): Promise<boolean>;
  failure(code: 'STP1602' | 'STP1604' | 'STP1606', message: string): Error;
  /** Reports one line about the machines' state. */
  say(line: string): void;
}

export interface ProvisioningLimits {
  /** Time limit for waiting for capacity, ms. */
  readonly validUntilMs: number;
  /** Time limit for holding machines, from the first time that they are ready, ms. */
  readonly heldMsMax: number;
}

/** State carried over a continue-as-new. */
export interface HeldNodes {
  readonly generation: number;
  readonly hosts: readonly NodeHost[];
  /** Time when machines were first ready, ms since 1970; the cost guard counts from it. */
  readonly sinceMs: number;
}

/**
 * First pause between repetitions. The steps wait by themselves without adding to the history. A repetition here costs
 * some dozen of the 51,200 events that a history may have. With pauses up to an hour a month of failures takes a third
 * of them.
 */
const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 3_600_000;
/** Pause before a failed watch is started again, ms. */
const WATCH_PAUSE_MS = 60_000;
/** Time limit for a poll that should answer at once, ms: the cloud may be slow. */
const LOOK_MS_MAX = 60_000;
/**
 * Longest wait for unusable machines to be deleted, ms. Until then the project's quota counts them. If the quota has
 * room for only one set, the next request would fail permanently.
 */
const GOING_MS_MAX = 15 * 60_000;

/** Time that machines were held, ms: counted for the set as one, and summed over its machines. */
export interface TimeHeld {
  readonly setMs: number;
  readonly machineMs: number;
}

/** Machines in use. Work runs on the present machines, and again on their replacements if they are lost meanwhile. */
export class NodesInUse {
  readonly #steps: ProvisioningSteps;
  readonly #limits: ProvisioningLimits;
  #current: HeldNodes | null;
  /** Resolves when there are machines again; rejects if there can be none. */
  #available: Promise<void> = Promise.resolve();
  /** Last generation that is known to be lost, with the reason. */
  #lost: { readonly generation: number; readonly reason: string } | null = null;
  readonly #using = new Set<Scope>();
  #watching: Scope | null = null;
  #renewed: PromiseWithResolvers<void> | null = null;
  /** Machines on which work was last started, even if not all of them answered. */
  #begun: readonly NodeHost[] = [];
  #isOver = false;
  #lastAsked: number;
  /** The request for replacements has failed; it is repeated only when work needs machines. */
  #isGivenUp = false;
  #watchAgain: () => void = () => undefined;
  /** Time of the past sets, and the start of the present one. */
  #past: TimeHeld = { setMs: 0, machineMs: 0 };
  #present: { readonly sinceMs: number; readonly hosts: number } | null = null;

  constructor(steps: ProvisioningSteps, limits: ProvisioningLimits, carried: HeldNodes | null) {
    this.#steps = steps;
    this.#limits = limits;
    this.#current = carried;
    this.#lastAsked = carried?.generation ?? 0;
    this.#begun = carried?.hosts ?? [];
    if (carried !== null) this.#count(carried.hosts.length);
  }

  /** Machine time since this object was made. Machines cost from when they are ready until they are deleted. */
  get time(): TimeHeld {
    const ms = this.#present === null ? 0 : this.#steps.now() - this.#present.sinceMs;
    const { setMs, machineMs } = this.#past;
    return { setMs: setMs + ms, machineMs: machineMs + ms * (this.#present?.hosts ?? 0) };
  }

  #count(hosts: number): void {
    this.countNoMore();
    this.#present = { sinceMs: this.#steps.now(), hosts };
  }

  /** Stops counting time: the machines are gone or no longer used. */
  countNoMore(): void {
    this.#past = this.time;
    this.#present = null;
  }

  /** Number of the last set that was requested; 0: none was. */
  get asked(): number {
    return this.#lastAsked;
  }

  /** Machines that may still have files or processes of the run. */
  get touched(): readonly NodeHost[] {
    return this.#begun;
  }

  /** The present machines; null before the first. */
  get held(): HeldNodes | null {
    return this.#current;
  }

  /**
   * Runs the work on the present machines. If they are lost meanwhile, it is cancelled and run again on the next ones.
   */
  async use<T>(work: (nodes: HeldNodes) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#isGivenUp) this.#watchAgain();
      await this.#available;
      const nodes = this.#current!;
      const scope = this.#steps.scope();
      this.#using.add(scope);
      try {
        return await scope.run(() => work(nodes));
      } catch (error) {
        if (this.#isOver) throw error;
        if (this.#lost?.generation !== nodes.generation && this.#current === nodes) {
          if (!this.#steps.isDeadHost(error) || (await this.#allAnswer(nodes))) throw error;
          this.#markLost(nodes.generation, 'a machine does not answer any more');
          this.#watching?.cancel();
        }
        // Lost: the watch has replaced the machines, or is about to.
      } finally {
        this.#using.delete(scope);
      }
    }
  }

  /** Acquires the first machines, unless some are carried over. Then runs the body under watch and cost guard. */
  async guard<T>(body: (nodes: NodesInUse) => Promise<T>): Promise<T> {
    if (this.#current === null) await this.#acquire(1);
    const steps = this.#steps;
    const untilMs = this.#current!.sinceMs + this.#limits.heldMsMax;
    const whole = steps.scope();
    const watch = steps.scope();
    // The cost guard has a clock of its own, because it must also act while lost machines are replaced or a person is
    // waited for.
    const struck = watch.run(async () => {
      await steps.sleep(Math.max(0, untilMs - steps.now()));
      this.#isOver = true;
      whole.cancel();
      watch.cancel();
    });
    // The activity that needs machines reports their failures.
    const ended = (work: Promise<void>): Promise<void> => work.catch(() => undefined);
    const ends = [ended(struck)];
    const begin = (): void => void ends.push(ended(watch.run(() => this.#watchOn(untilMs))));
    this.#watchAgain = () => {
      this.#isGivenUp = false;
      this.#expectOthers();
      begin();
    };
    begin();
    try {
      return await whole.run(() => body(this));
    } catch (error) {
      if (!this.#isOver) throw error;
      const hours = Number((this.#limits.heldMsMax / 3_600_000).toPrecision(3));
      throw steps.failure(
        'STP1606',
        `the cost guard ended the run: its machines were held for ${hours} hours (nodes.hoursMax)`,
      );
    } finally {
      watch.cancel();
      await steps.shielded(() => Promise.all(ends));
    }
  }

  async #allAnswer({ hosts }: HeldNodes): Promise<boolean> {
    return (await Promise.all(hosts.map(({ taskQueue }) => this.#steps.answers(taskQueue)))).every(Boolean);
  }

  #markLost(generation: number, reason: string): void {
    this.#lost = { generation, reason };
    this.#expectOthers();
    for (const scope of this.#using) scope.cancel();
  }

  #expectOthers(): void {
    const anew = Promise.withResolvers<void>();
    // The failure may come while nothing awaits this promise.
    anew.promise.catch(() => undefined);
    this.#available = anew.promise;
    this.#renewed = anew;
  }

  /** Detects losses and replaces lost machines, until `untilMs` or a cancellation. */
  async #watchOn(untilMs: number): Promise<void> {
    for (;;) {
      const { generation } = this.#current!;
      if (this.#lost?.generation !== generation) {
        const end = await this.#watchOnce(generation, untilMs);
        if (end?.kind === 'over') return;
        if (end?.kind === 'lost') this.#markLost(generation, end.reason);
        if (this.#lost?.generation !== generation) continue;
      }
      try {
        this.#steps.say(`the machines were lost (${this.#lost.reason}); asking for others`);
        await this.#releaseEarly();
        await this.#acquire(this.#lastAsked + 1);
        this.#renewed?.resolve();
      } catch (error) {
        await this.#giveUp(error);
        throw error;
      }
    }
  }

  /**
   * Gives up an incomplete set, which would cost money while a person is waited for. A later use requests a whole set
   * again.
   */
  async #giveUp(error: unknown): Promise<void> {
    try {
      if (this.#steps.isCancellation(error)) return;
      await this.#releaseEarly();
      this.#isGivenUp = true;
    } finally {
      this.#renewed?.reject(error);
    }
  }

  /** Releases unusable sets. The next set has another name, so a failure here can wait for the end of the run. */
  async #releaseEarly(): Promise<void> {
    const steps = this.#steps;
    try {
      const { left } = await steps.release(this.#lastAsked, steps.now() + GOING_MS_MAX);
      if (left.length === 0) this.countNoMore();
      if (left.length > 0) steps.say(`giving lost machines back: ${left.length} are still there, such as ${left[0]}`);
    } catch (error) {
      if (steps.isCancellation(error)) throw error;
      steps.say(`lost machines could not be deleted yet: ${(error as Error).message}`);
    }
  }

  /** Watches once. Returns null if the watch itself failed, or was told to check at once. */
  async #watchOnce(generation: number, untilMs: number): Promise<WatchEnd | null> {
    const scope = this.#steps.scope();
    this.#watching = scope;
    try {
      return await scope.run(() => this.#steps.watch(generation, untilMs));
    } catch (error) {
      if (this.#lost?.generation === generation) return null;
      if (this.#steps.isCancellation(error)) throw error;
      if (this.#steps.now() >= untilMs) return { kind: 'over' };
      await this.#steps.sleep(WATCH_PAUSE_MS);
      return null;
    } finally {
      this.#watching = null;
    }
  }

  /** Requests machines until they are ready and their workers answer, or until the time is over (STP1602, STP1604). */
  async #acquire(first: number): Promise<void> {
    const steps = this.#steps;
    const deadlineMs = steps.now() + this.#limits.validUntilMs;
    let generation = first;
    let reason = 'no machines yet';
    for (let attempt = 1, pause = PAUSE_FIRST_MS; ; attempt += 1, pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      this.#lastAsked = Math.max(this.#lastAsked, generation);
      steps.say('waiting for machines: the request is being made, or waits for capacity');
      const asked = await steps.request(generation, attempt, deadlineMs);
      const settled: Settled =
        asked.kind === 'accepted'
          ? await this.#settle(generation, deadlineMs)
          : { kind: 'retry-same-set', reason: asked.reason };
      if (settled.kind === 'ready') {
        this.#count(settled.hosts.length);
        const begun = await this.#beginHosts(generation, settled.hosts);
        if (begun === null) {
          this.#current = { generation, hosts: settled.hosts, sinceMs: this.#current?.sinceMs ?? steps.now() };
          return;
        }
        reason = begun;
        generation += 1;
        await this.#releaseEarly();
      } else {
        reason = settled.reason;
        if (settled.kind === 'request-next-set') {
          // The name stays taken until its resources are deleted.
          generation += 1;
          await this.#releaseEarly();
        }
      }
      if (steps.now() >= deadlineMs) throw tooLate(steps, this.#limits, reason);
      steps.say(`waiting for machines: ${reason}`);
      await steps.sleep(Math.min(pause, Math.max(0, deadlineMs - steps.now())));
    }
  }

  /** Polls until the machines are ready, or will clearly not come up by themselves. */
  async #settle(generation: number, deadlineMs: number): Promise<Settled> {
    const steps = this.#steps;
    steps.say('waiting for machines: the request is accepted');
    const state = await steps.state(generation, deadlineMs);
    switch (state.kind) {
      case 'ready':
        return state;
      case 'lost':
        return { kind: 'request-next-set', reason: state.reason };
      case 'failed':
        if (!state.again) throw steps.failure('STP1602', `${state.reason}. ${state.advice}`);
        return { kind: 'request-next-set', reason: state.reason };
      case 'incomplete':
        return { kind: 'retry-same-set', reason: state.reason };
      case 'absent':
        return { kind: 'retry-same-set', reason: 'the request no longer exists' };
      case 'waiting':
        throw tooLate(steps, this.#limits, state.reason);
    }
  }

  /** Returns null when every machine's worker has answered; else why these machines are unusable. */
  async #beginHosts(generation: number, hosts: readonly NodeHost[]): Promise<string | null> {
    const steps = this.#steps;
    steps.say(`${hosts.length} machines are there; waiting for their workers`);
    this.#begun = hosts;
    const scope = steps.scope();
    try {
      await scope.run(() => Promise.all(hosts.map((host) => steps.begin(host.taskQueue))));
      return null;
    } catch (error) {
      scope.cancel();
      if (!steps.isDeadHost(error)) throw error;
      const state = await steps.state(generation, steps.now() + LOOK_MS_MAX);
      if (state.kind === 'lost' || state.kind === 'absent' || state.kind === 'incomplete')
        return 'the machines were lost while they were set up';
      throw steps.failure(
        'STP1604',
        'a machine is there but no worker of ours answers on it. Look at its start-up log (nodes/…/steps in the store), and at nodes.setUpMinutes',
      );
    }
  }
}

type Settled =
  | { readonly kind: 'ready'; readonly hosts: readonly NodeHost[] }
  /** The request is repeated under the same name: existing resources stay. */
  | { readonly kind: 'retry-same-set'; readonly reason: string }
  /** The request is repeated under the next name, after a deletion. */
  | { readonly kind: 'request-next-set'; readonly reason: string };

function tooLate(steps: ProvisioningSteps, { validUntilMs }: ProvisioningLimits, reason: string): Error {
  const minutes = Math.round(validUntilMs / 60_000);
  return steps.failure(
    'STP1602',
    `there were no machines within ${minutes} minutes: ${reason}. Wait longer (nodes.validUntilMinutes), or take another zone, a smaller slice, spot or a reservation`,
  );
}

/**
 * Runs the body with machines. The release is set up before the first request, and continues until nothing is left,
 * also after a failure or a cancellation. The machines stay only if `keeps` returns true for the thrown value (a
 * continue-as-new).
 */
export async function withNodes<T>(
  steps: ProvisioningSteps,
  limits: ProvisioningLimits,
  carried: HeldNodes | null,
  keeps: (thrown: unknown) => boolean,
  body: (nodes: NodesInUse) => Promise<T>,
): Promise<T> {
  const nodes = new NodesInUse(steps, limits, carried);
  let isKept = false;
  try {
    return await nodes.guard(body);
  } catch (thrown) {
    isKept = keeps(thrown);
    throw thrown;
  } finally {
    if (!isKept) await steps.shielded(() => giveBack(steps, nodes));
  }
}

/** Ends the run's processes on the machines and has all resources deleted. Returns when nothing of the run is left. */
async function giveBack(steps: ProvisioningSteps, { touched, asked }: NodesInUse): Promise<void> {
  await Promise.all(touched.map((host) => steps.end(host.taskQueue)));
  for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
    try {
      const { left } = await steps.release(asked, null);
      if (left.length === 0) return;
      steps.say(`giving machines back: ${left.length} are still there, such as ${left[0]}`);
    } catch (error) {
      steps.say(`machines could not be given back yet and may cost: ${(error as Error).message}`);
    }
    await steps.sleep(pause);
  }
}
