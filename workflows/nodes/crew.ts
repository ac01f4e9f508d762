/**
 * Several machines that do the same kind of work, each by its own queue and one piece at a time: whichever is free takes the
 * next piece, in the order they came. A machine that is lost gets no more, and what it had goes to another.
 */
import { log } from '@temporalio/workflow';
import { lossOf } from './every-node.ts';
import { Lane } from './lane.ts';

export class Crew {
  private readonly free: string[];
  private readonly lane: Lane;
  private left: number;

  constructor(queues: readonly string[]) {
    this.free = [...queues];
    this.left = queues.length;
    this.lane = new Lane(() => this.left);
  }

  /** Rejects with what the work rejects with; of a lost machine only where it was the last. */
  async run<T>(work: (queue: string) => Promise<T>): Promise<T> {
    for (;;) {
      const outcome = await this.lane.run(() => this.onOne(work));
      if (outcome.kind === 'done') return outcome.result;
    }
  }

  private async onOne<T>(work: (queue: string) => Promise<T>): Promise<{ kind: 'done'; result: T } | { kind: 'lost' }> {
    const queue = this.free.shift()!;
    try {
      const result = await work(queue);
      this.free.push(queue);
      return { kind: 'done', result };
    } catch (error) {
      const why = lossOf(error);
      if (why === null || this.left === 1) {
        this.free.push(queue);
        throw error;
      }
      this.left -= 1;
      log.warn('a machine is given no more work', { queue, why });
      return { kind: 'lost' };
    }
  }
}
