/**
 * Several machines that do the same kind of work, one piece at a time each, through their own queues. A free machine
 * takes the next piece, in order of arrival. A machine that is lost or whose disk is full gets no more work, and its
 * piece goes to another.
 */
import { ApplicationFailure, log } from '@temporalio/workflow';
import { DISK_FULL, host, oneOfSeveral } from '../control/activity-proxies.ts';
import { causes } from '../control/causes.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { lossOf } from './every-node.ts';

export class MachinePool {
  readonly #free: string[];
  readonly #limit: ConcurrencyLimit;
  #left: number;

  constructor(queues: readonly string[]) {
    this.#free = [...queues];
    this.#left = queues.length;
    this.#limit = new ConcurrencyLimit(() => this.#left);
  }

  /**
   * Runs a piece of work and rejects with its error. If the machine is lost or full, another runs the piece, unless it
   * was the last one. `isLast` tells the work whether it is.
   */
  async run<T>(work: (queue: string, isLast: boolean) => Promise<T>): Promise<T> {
    for (;;) {
      const outcome = await this.#limit.run(() => this.#onOne(work));
      if (outcome.kind === 'done') return outcome.result;
    }
  }

  async #onOne<T>(
    work: (queue: string, isLast: boolean) => Promise<T>,
  ): Promise<{ kind: 'done'; result: T } | { kind: 'lost' }> {
    const queue = this.#free.shift()!;
    try {
      const result = await work(queue, this.#left === 1);
      this.#free.push(queue);
      return { kind: 'done', result };
    } catch (error) {
      const why = whyUnfit(error);
      if (why === null || this.#left === 1) {
        this.#free.push(queue);
        throw error;
      }
      this.#left -= 1;
      log.warn('a machine is given no more work', { queue, why });
      return { kind: 'lost' };
    }
  }
}

/**
 * Runs work on one machine: the first, or the next if that one is lost or its disk is full. The last machine waits for
 * disk space.
 */
export async function byOne<T>(
  queues: readonly string[],
  summary: string,
  work: (machine: ReturnType<typeof host>) => Promise<T>,
): Promise<T> {
  for (const queue of queues.slice(0, -1))
    try {
      return await work(oneOfSeveral(queue, summary));
    } catch (error) {
      const why = whyUnfit(error);
      if (why === null) throw error;
      log.warn('another machine does the work', { queue, why, summary });
    }
  return work(host(queues.at(-1)!, summary));
}

/** Returns in words why another machine must do the work; null if it would fail there too. */
function whyUnfit(error: unknown): string | null {
  const isFull = causes(error).some((cause) => cause instanceof ApplicationFailure && cause.type === DISK_FULL);
  return isFull ? 'its disk is full' : lossOf(error);
}
