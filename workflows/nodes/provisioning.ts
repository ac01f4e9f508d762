/**
 * Machines that cost by the hour, from the first request to the last deletion: requested, waited for, watched,
 * requested again when they are lost, and given back in every case. This code knows neither Temporal nor a cloud, only
 * steps that may fail and a clock. The workflow (`nodes.ts`) and the simulation of faults both run it.
 */
import { MachineRequests } from './machine-requests.ts';
import { MachineClock } from './machine-time.ts';
import type { HeldNodes, ProvisioningLimits, ProvisioningSteps, Scope, WatchEnd } from './provisioning-steps.ts';

/** Pause before a failed watch is started again, ms. */
const WATCH_PAUSE_MS = 60_000;

/** Machines in use. Work runs on the present machines, and again on their replacements if they are lost meanwhile. */
export class NodesInUse {
  readonly #steps: ProvisioningSteps;
  readonly #limits: ProvisioningLimits;
  readonly clock: MachineClock;
  readonly requests: MachineRequests;
  #current: HeldNodes | null;
  /** Resolves when there are machines again; rejects if there can be none. */
  #available: Promise<void> = Promise.resolve();
  /** Last generation that is known to be lost, with the reason. */
  #lost: { readonly generation: number; readonly reason: string } | null = null;
  readonly #using = new Set<Scope>();
  #watching: Scope | null = null;
  #renewed: PromiseWithResolvers<void> | null = null;
  #isOver = false;
  /** The request for replacements has failed; it is repeated only when work needs machines. */
  #isGivenUp = false;
  #watchAgain: () => void = () => undefined;

  constructor(steps: ProvisioningSteps, limits: ProvisioningLimits, carried: HeldNodes | null) {
    this.#steps = steps;
    this.#limits = limits;
    this.#current = carried;
    this.clock = new MachineClock(() => steps.now());
    this.requests = new MachineRequests(steps, limits, this.clock, carried);
    if (carried !== null) this.clock.start(carried.hosts.length);
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
    if (this.#current === null) await this.#acquire();
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

  async #acquire(): Promise<void> {
    const found = await this.requests.acquire();
    // The cost guard counts from the first machines.
    this.#current = { ...found, sinceMs: this.#current?.sinceMs ?? this.#steps.now() };
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
        await this.requests.releaseUnusable();
        await this.#acquire();
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
      await this.requests.releaseUnusable();
      this.#isGivenUp = true;
    } finally {
      this.#renewed?.reject(error);
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
    if (!isKept) await steps.shielded(() => nodes.requests.giveBack());
  }
}
