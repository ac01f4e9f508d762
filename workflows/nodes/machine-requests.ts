/** Requests sets of machines, one after another, until one is usable, and has unusable sets deleted. */
import type { NodeHost } from '../../infra/nodes/provider.ts';
import type { MachineClock } from './machine-time.ts';
import type { HeldNodes, ProvisioningLimits, ProvisioningSteps } from './provisioning-steps.ts';

/**
 * First pause between repetitions. The steps wait by themselves without adding to the history. A repetition here costs
 * some dozen of the 51,200 events that a history may have. With pauses up to an hour a month of failures takes a third
 * of them.
 */
const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 3_600_000;
/** Time limit for a poll that should answer at once, ms: the cloud may be slow. */
const LOOK_MS_MAX = 60_000;
/**
 * Longest wait for unusable machines to be deleted, ms. Until then the project's quota counts them. If the quota has
 * room for only one set, the next request would fail permanently.
 */
const GOING_MS_MAX = 15 * 60_000;

export class MachineRequests {
  readonly #steps: ProvisioningSteps;
  readonly #limits: ProvisioningLimits;
  readonly #clock: MachineClock;
  /** Number of the last set that was requested; 0: none was. */
  #asked: number;
  /** Machines on which work was last started, even if not all answered: they may still have files of the run. */
  #touched: readonly NodeHost[];

  constructor(steps: ProvisioningSteps, limits: ProvisioningLimits, clock: MachineClock, carried: HeldNodes | null) {
    this.#steps = steps;
    this.#limits = limits;
    this.#clock = clock;
    this.#asked = carried?.generation ?? 0;
    this.#touched = carried?.hosts ?? [];
  }

  /**
   * Requests machines until they are ready and their workers answer, or until the time is over (STP1602, STP1604). Begins
   * with a set that was not requested before.
   */
  async acquire(): Promise<Pick<HeldNodes, 'generation' | 'hosts'>> {
    const steps = this.#steps;
    const deadlineMs = steps.now() + this.#limits.validUntilMs;
    let generation = this.#asked + 1;
    let reason = 'no machines yet';
    for (let attempt = 1, pause = PAUSE_FIRST_MS; ; attempt += 1, pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      this.#asked = generation;
      steps.say('waiting for machines: the request is being made, or waits for capacity');
      const asked = await steps.request(generation, attempt, deadlineMs);
      const settled: Settled =
        asked.kind === 'accepted'
          ? await this.#settle(generation, deadlineMs)
          : { kind: 'retry-same-set', reason: asked.reason };
      if (settled.kind === 'ready') {
        this.#clock.start(settled.hosts.length);
        const unusable = await this.#beginHosts(generation, settled.hosts);
        if (unusable === null) return { generation, hosts: settled.hosts };
        reason = unusable;
        generation += 1;
        await this.releaseUnusable();
      } else {
        reason = settled.reason;
        if (settled.kind === 'request-next-set') {
          // The name stays taken until its resources are deleted.
          generation += 1;
          await this.releaseUnusable();
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
    this.#touched = hosts;
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

  /** Releases unusable sets. The next set has another name, so a failure here can wait for the end of the run. */
  async releaseUnusable(): Promise<void> {
    const steps = this.#steps;
    try {
      const { left } = await steps.release(this.#asked, steps.now() + GOING_MS_MAX);
      if (left.length === 0) this.#clock.stop();
      if (left.length > 0) steps.say(`giving lost machines back: ${left.length} are still there, such as ${left[0]}`);
    } catch (error) {
      if (steps.isCancellation(error)) throw error;
      steps.say(`lost machines could not be deleted yet: ${(error as Error).message}`);
    }
  }

  /** Ends the run's processes on the machines and has all resources deleted. Returns when nothing of the run is left. */
  async giveBack(): Promise<void> {
    const steps = this.#steps;
    await Promise.all(this.#touched.map((host) => steps.end(host.taskQueue)));
    for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      try {
        const { left } = await steps.release(this.#asked, null);
        if (left.length === 0) return;
        steps.say(`giving machines back: ${left.length} are still there, such as ${left[0]}`);
      } catch (error) {
        steps.say(`machines could not be given back yet and may cost: ${(error as Error).message}`);
      }
      await steps.sleep(pause);
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
