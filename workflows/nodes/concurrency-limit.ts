/** Lets a few pieces of work through at once, in the order they came: how a workflow bounds its fan-out. */
import { condition } from '@temporalio/workflow';

export class ConcurrencyLimit {
  private running = 0;
  private nextTicket = 0;
  private serving = 0;
  private readonly width: () => number;
  private readonly isOpen: () => boolean;

  /** @param isOpen while it says false, nothing new starts (a paused run) */
  constructor(width: number | (() => number), isOpen: () => boolean = () => true) {
    this.width = typeof width === 'number' ? () => width : width;
    this.isOpen = isOpen;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const ticket = this.nextTicket++;
    await condition(() => ticket === this.serving && this.running < this.width() && this.isOpen());
    this.serving++;
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
