/** Counts the time for which machines are held. */

/** Time that machines were held, ms: counted for the set as one, and summed over its machines. */
export interface TimeHeld {
  readonly setMs: number;
  readonly machineMs: number;
}

/** Machines cost from when they are ready until they are deleted. */
export class MachineClock {
  readonly #now: () => number;
  #past: TimeHeld = { setMs: 0, machineMs: 0 };
  #present: { readonly sinceMs: number; readonly hosts: number } | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Time since this object was made. */
  get time(): TimeHeld {
    const ms = this.#present === null ? 0 : this.#now() - this.#present.sinceMs;
    const { setMs, machineMs } = this.#past;
    return { setMs: setMs + ms, machineMs: machineMs + ms * (this.#present?.hosts ?? 0) };
  }

  /** Counts a set of machines from now on, in place of the one before. */
  start(hosts: number): void {
    this.stop();
    this.#present = { sinceMs: this.#now(), hosts };
  }

  /** Counts no set any more: the machines are gone or no longer used. */
  stop(): void {
    this.#past = this.time;
    this.#present = null;
  }
}
