/** Limits the fan-out of a workflow: runs at most a few pieces of work at once, in order of arrival. */
import { condition } from '@temporalio/workflow';

export class ConcurrencyLimit {
  #running = 0;
  #nextTicket = 0;
  #serving = 0;
  readonly #width: () => number;
  readonly #isOpen: () => boolean;

  /** @param isOpen while it returns false, no new piece starts (a paused run) */
  constructor(width: number | (() => number), isOpen: () => boolean = () => true) {
    this.#width = typeof width === 'number' ? () => width : width;
    this.#isOpen = isOpen;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const ticket = this.#nextTicket++;
    await condition(() => ticket === this.#serving && this.#running < this.#width() && this.#isOpen());
    this.#serving++;
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }
}
