/**
 * Machines that cost by the hour, from the first asking to the last deletion: asked for, waited for, watched, asked for
 * again when they are taken away, and given back in every case. It knows neither Temporal nor a cloud, only steps that
 * may fail and a clock: the workflow (`nodes.ts`) and the simulation of faults run this very code.
 */
import type { Asked, NodeHost, NodesState, Released } from '../../infra/nodes/provider.ts';

/** Work that can be cancelled by itself. */
export interface Scope {
  run<T>(work: () => Promise<T>): Promise<T>;
  cancel(): void;
}

export type WatchEnd = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'over' };

/** The steps that the logic uses. A step that throws has been tried again already as often as made sense. */
export interface ProvisioningSteps {
  /**
   * Asks until the cloud accepts, or until `untilMs`. A cancellation waits for the call under way: what it made must be known
   * when things are given back.
   */
  request(generation: number, attempt: number, untilMs: number): Promise<Asked>;
  /** Looks until they are there, or will not come by themselves, or until `untilMs`; then it may still be `waiting`. */
  state(generation: number, untilMs: number): Promise<NodesState>;
  /** Looks at the machines from time to time; returns when they are lost, or `over` when it is `untilMs`. */
  watch(generation: number, untilMs: number): Promise<WatchEnd>;
  /**
   * Releases all sets, until nothing is left or until `untilMs`; null: without a limit. The last that was asked for is looked
   * for by its name too: a list may not show it yet; 0: none was.
   */
  release(last: number, untilMs: number | null): Promise<Released>;
  /** The first work on a machine: waits until its worker is there, and ends what was left behind. */
  begin(hostQueue: string): Promise<void>;
  /** The last work on a machine that may be gone. Never throws. */
  end(hostQueue: string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** ms since 1970 */
  now(): number;
  scope(): Scope;
  /** Runs to its end, also if what is around it is cancelled. */
  shielded<T>(work: () => Promise<T>): Promise<T>;
  isCancellation(error: unknown): boolean;
  /** Could the failure mean that nobody works on a machine any more? Workers elsewhere fall silent too. */
  isDeadHost(error: unknown): boolean;
  /** Does the machine's worker answer now? Never throws but for a cancellation. */
  answers(hostQueue: string): Promise<boolean>;
  failure(code: 'STP1602' | 'STP1604' | 'STP1606', message: string): Error;
  /** One line on what is going on. */
  say(line: string): void;
}

export interface ProvisioningLimits {
  /** Waiting for capacity, ms. */
  readonly validUntilMs: number;
  /** Holding machines, from the first time that they are ready, ms. */
  readonly heldMsMax: number;
}

/** State that a run carries over a continue-as-new. */
export interface HeldNodes {
  readonly generation: number;
  readonly hosts: readonly NodeHost[];
  /** When machines were ready for the first time, ms since 1970: the cost guard counts from there. */
  readonly sinceMs: number;
}

/**
 * Steps wait by themselves, at no cost to the history; what is repeated here costs some dozen events each time, of the 51,200
 * that a history may have. With pauses up to an hour a month of failures is a third of that.
 */
const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 3_600_000;
/** A watch that failed is begun again after so long. */
const WATCH_PAUSE_MS = 60_000;
/** A look that is to answer at once may take so long where the cloud is slow. */
const LOOK_MS_MAX = 60_000;
/**
 * Machines that are no good any more are waited for until they are gone, at most so long: until then the project's quota
 * counts them, and where it has room for one set alone the next would be refused for good.
 */
const GOING_MS_MAX = 15 * 60_000;

/** Time that machines were held, ms: of the set as one, and of its machines added up. */
export interface TimeHeld {
  readonly setMs: number;
  readonly machineMs: number;
}

/** Machines in use: work is done on the present ones, and again on the next ones where they were lost meanwhile. */
export class NodesInUse {
  private readonly steps: ProvisioningSteps;
  private readonly limits: ProvisioningLimits;
  private now: HeldNodes | null;
  /** Settles when there are machines again; rejected where there can be none. */
  private available: Promise<void> = Promise.resolve();
  /** Last generation that is known to be lost, and why. */
  private lost: { readonly generation: number; readonly reason: string } | null = null;
  private readonly using = new Set<Scope>();
  private watching: Scope | null = null;
  private renewed: PromiseWithResolvers<void> | null = null;
  /** The machines that work was begun on last, be it that not all of them answered. */
  private begun: readonly NodeHost[] = [];
  private isOver = false;
  private lastAsked: number;
  /** The asking for others has failed, and waits until somebody needs machines. */
  private isGivenUp = false;
  private watchAgain: () => void = () => undefined;
  /** Time of the sets that are gone; and the start of the present one. */
  private past: TimeHeld = { setMs: 0, machineMs: 0 };
  private present: { readonly sinceMs: number; readonly hosts: number } | null = null;

  constructor(steps: ProvisioningSteps, limits: ProvisioningLimits, carried: HeldNodes | null) {
    this.steps = steps;
    this.limits = limits;
    this.now = carried;
    this.lastAsked = carried?.generation ?? 0;
    this.begun = carried?.hosts ?? [];
    if (carried !== null) this.count(carried.hosts.length);
  }

  /** Since this object was made. Machines cost from the moment they are there until they are deleted. */
  get time(): TimeHeld {
    const ms = this.present === null ? 0 : this.steps.now() - this.present.sinceMs;
    const { setMs, machineMs } = this.past;
    return { setMs: setMs + ms, machineMs: machineMs + ms * (this.present?.hosts ?? 0) };
  }

  private count(hosts: number): void {
    this.countNoMore();
    this.present = { sinceMs: this.steps.now(), hosts };
  }

  /** The machines are gone, or nobody will use them. */
  countNoMore(): void {
    this.past = this.time;
    this.present = null;
  }

  /** The last set that was asked for; 0: none was. */
  get asked(): number {
    return this.lastAsked;
  }

  /** The machines that may have something of the run. */
  get touched(): readonly NodeHost[] {
    return this.begun;
  }

  /** The present machines; null before the first. */
  get held(): HeldNodes | null {
    return this.now;
  }

  /** Does the work with the present machines; where they are lost on the way it is cancelled and done again on the next. */
  async use<T>(work: (nodes: HeldNodes) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.isGivenUp) this.watchAgain();
      await this.available;
      const nodes = this.now!;
      const scope = this.steps.scope();
      this.using.add(scope);
      try {
        return await scope.run(() => work(nodes));
      } catch (error) {
        if (this.isOver) throw error;
        if (this.lost?.generation !== nodes.generation && this.now === nodes) {
          if (!this.steps.isDeadHost(error) || (await this.allAnswer(nodes))) throw error;
          this.markLost(nodes.generation, 'a machine does not answer any more');
          this.watching?.cancel();
        }
        // Lost: the watch has replaced the machines, or is about to.
      } finally {
        this.using.delete(scope);
      }
    }
  }

  /** The first machines, unless there are some from before; then the body, under watch and cost guard. */
  async guard<T>(body: (nodes: NodesInUse) => Promise<T>): Promise<T> {
    if (this.now === null) await this.acquire(1);
    const { steps } = this;
    const untilMs = this.now!.sinceMs + this.limits.heldMsMax;
    const whole = steps.scope();
    const watch = steps.scope();
    // A clock of its own: it must strike also while lost machines are replaced, or a person is waited for.
    const struck = watch.run(async () => {
      await steps.sleep(Math.max(0, untilMs - steps.now()));
      this.isOver = true;
      whole.cancel();
      watch.cancel();
    });
    // The activity that needs machines reports their failures.
    const ended = (work: Promise<void>): Promise<void> => work.catch(() => undefined);
    const ends = [ended(struck)];
    const begin = (): void => void ends.push(ended(watch.run(() => this.watchOn(untilMs))));
    this.watchAgain = () => {
      this.isGivenUp = false;
      this.expectOthers();
      begin();
    };
    begin();
    try {
      return await whole.run(() => body(this));
    } catch (error) {
      if (!this.isOver) throw error;
      const hours = Number((this.limits.heldMsMax / 3_600_000).toPrecision(3));
      throw steps.failure(
        'STP1606',
        `the cost guard ended the run: its machines were held for ${hours} hours (nodes.hoursMax)`,
      );
    } finally {
      watch.cancel();
      await steps.shielded(() => Promise.all(ends));
    }
  }

  private async allAnswer({ hosts }: HeldNodes): Promise<boolean> {
    return (await Promise.all(hosts.map(({ taskQueue }) => this.steps.answers(taskQueue)))).every(Boolean);
  }

  private markLost(generation: number, reason: string): void {
    this.lost = { generation, reason };
    this.expectOthers();
    for (const scope of this.using) scope.cancel();
  }

  private expectOthers(): void {
    const anew = Promise.withResolvers<void>();
    // Nobody may be waiting for it when it fails.
    anew.promise.catch(() => undefined);
    this.available = anew.promise;
    this.renewed = anew;
  }

  /** Sees losses and replaces what was lost, until it is `untilMs` or cancelled. */
  private async watchOn(untilMs: number): Promise<void> {
    for (;;) {
      const { generation } = this.now!;
      if (this.lost?.generation !== generation) {
        const end = await this.watchOnce(generation, untilMs);
        if (end?.kind === 'over') return;
        if (end?.kind === 'lost') this.markLost(generation, end.reason);
        if (this.lost?.generation !== generation) continue;
      }
      try {
        this.steps.say(`the machines were lost (${this.lost.reason}); asking for others`);
        await this.releaseEarly();
        await this.acquire(this.lastAsked + 1);
        this.renewed?.resolve();
      } catch (error) {
        await this.giveUp(error);
        throw error;
      }
    }
  }

  /** Machines that came in part would be paid for while a person is waited for; a later use has all asked for again. */
  private async giveUp(error: unknown): Promise<void> {
    try {
      if (this.steps.isCancellation(error)) return;
      await this.releaseEarly();
      this.isGivenUp = true;
    } finally {
      this.renewed?.reject(error);
    }
  }

  /**
   * Releases sets that are no longer usable. The next set has a name of its own, so what fails here can wait for the end of the
   * run.
   */
  private async releaseEarly(): Promise<void> {
    const { steps } = this;
    try {
      const { left } = await steps.release(this.lastAsked, steps.now() + GOING_MS_MAX);
      if (left.length === 0) this.countNoMore();
      if (left.length > 0) steps.say(`giving lost machines back: ${left.length} are still there, such as ${left[0]}`);
    } catch (error) {
      if (steps.isCancellation(error)) throw error;
      steps.say(`lost machines could not be deleted yet: ${(error as Error).message}`);
    }
  }

  /** Null: the watch itself failed, or was told to look at once. */
  private async watchOnce(generation: number, untilMs: number): Promise<WatchEnd | null> {
    const scope = this.steps.scope();
    this.watching = scope;
    try {
      return await scope.run(() => this.steps.watch(generation, untilMs));
    } catch (error) {
      if (this.lost?.generation === generation) return null;
      if (this.steps.isCancellation(error)) throw error;
      if (this.steps.now() >= untilMs) return { kind: 'over' };
      await this.steps.sleep(WATCH_PAUSE_MS);
      return null;
    } finally {
      this.watching = null;
    }
  }

  /** Asks for machines until they are there and their workers answer, or the time for it is over (STP1602, STP1604). */
  private async acquire(first: number): Promise<void> {
    const { steps } = this;
    const deadlineMs = steps.now() + this.limits.validUntilMs;
    let generation = first;
    let reason = 'no machines yet';
    for (let attempt = 1, pause = PAUSE_FIRST_MS; ; attempt += 1, pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      this.lastAsked = Math.max(this.lastAsked, generation);
      steps.say('waiting for machines: the request is being made, or waits for capacity');
      const asked = await steps.request(generation, attempt, deadlineMs);
      const settled: Settled =
        asked.kind === 'accepted'
          ? await this.settle(generation, deadlineMs)
          : { kind: 'ask-again', reason: asked.reason };
      if (settled.kind === 'ready') {
        this.count(settled.hosts.length);
        const begun = await this.beginHosts(generation, settled.hosts);
        if (begun === null) {
          this.now = { generation, hosts: settled.hosts, sinceMs: this.now?.sinceMs ?? steps.now() };
          return;
        }
        reason = begun;
        generation += 1;
        await this.releaseEarly();
      } else {
        reason = settled.reason;
        if (settled.kind === 'ask-anew') {
          // The name stays taken until what has it is deleted.
          generation += 1;
          await this.releaseEarly();
        }
      }
      if (steps.now() >= deadlineMs) throw tooLate(steps, this.limits, reason);
      steps.say(`waiting for machines: ${reason}`);
      await steps.sleep(Math.min(pause, Math.max(0, deadlineMs - steps.now())));
    }
  }

  /** Looks until the machines are ready, or it is clear that they will not come by themselves. */
  private async settle(generation: number, deadlineMs: number): Promise<Settled> {
    const { steps } = this;
    steps.say('waiting for machines: the request is accepted');
    const state = await steps.state(generation, deadlineMs);
    switch (state.kind) {
      case 'ready':
        return state;
      case 'lost':
        return { kind: 'ask-anew', reason: state.reason };
      case 'failed':
        if (!state.again) throw steps.failure('STP1602', `${state.reason}. ${state.advice}`);
        return { kind: 'ask-anew', reason: state.reason };
      case 'incomplete':
        return { kind: 'ask-again', reason: state.reason };
      case 'absent':
        return { kind: 'ask-again', reason: 'the request no longer exists' };
      case 'waiting':
        throw tooLate(steps, this.limits, state.reason);
    }
  }

  /** Null when every machine's worker has answered; else why these machines will not do. */
  private async beginHosts(generation: number, hosts: readonly NodeHost[]): Promise<string | null> {
    const { steps } = this;
    steps.say(`${hosts.length} machines are there; waiting for their workers`);
    this.begun = hosts;
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
  /** The request is made again under the same name: what exists already stays. */
  | { readonly kind: 'ask-again'; readonly reason: string }
  /** The request is made again under the next name, after a deletion. */
  | { readonly kind: 'ask-anew'; readonly reason: string };

function tooLate(steps: ProvisioningSteps, { validUntilMs }: ProvisioningLimits, reason: string): Error {
  const minutes = Math.round(validUntilMs / 60_000);
  return steps.failure(
    'STP1602',
    `there were no machines within ${minutes} minutes: ${reason}. Wait longer (nodes.validUntilMinutes), or take another zone, a smaller slice, spot or a reservation`,
  );
}

/**
 * The body with machines. The giving back is set up before anything is asked for, and goes on until nothing is left, also
 * after a failure or a cancellation; only where `keeps` says so of what was thrown (a continue-as-new) they stay.
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

/** Ends what runs on the machines, and has everything deleted; returns when nothing of the run is left. */
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
