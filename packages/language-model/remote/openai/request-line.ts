/**
 * Distributes the samples of one call over several servers. Each sample is either waiting, at one server, or done, so
 * none is counted twice, even after a failure. If a server returns fewer samples than requested, the rest waits again;
 * if it refuses several at once, later requests ask for fewer.
 */
import { StpError } from '@stp/base';
import { askedOf } from '../../embedded/process/kept-samples.ts';
import type { SampleRequest } from '../../generator.ts';

/** Samples of one prompt that are requested together. */
export interface Unit {
  /** Indices in the call, ascending. */
  readonly indices: readonly number[];
  readonly requests: readonly SampleRequest[];
}

export class RequestLine {
  readonly #requests: readonly SampleRequest[];
  /** Waiting requests by prompt, in the order of their first request. */
  readonly #waiting = new Map<string, number[]>();
  readonly #returned: number[] = [];
  #samplesPerRequest: number;
  #lanes: Promise<unknown>[] = [];

  constructor(requests: readonly SampleRequest[], samplesPerRequest: number) {
    this.#requests = requests;
    this.#samplesPerRequest = samplesPerRequest;
    for (const [index, request] of requests.entries()) {
      // Single samples go in the order of the call.
      const key = samplesPerRequest === 1 ? '' : askedOf(request);
      const group = this.#waiting.get(key);
      if (group === undefined) this.#waiting.set(key, [index]);
      else group.push(index);
    }
    for (const group of this.#waiting.values()) group.reverse();
  }

  /** Number of waiting samples. */
  get size(): number {
    return [...this.#waiting.values()].reduce((sum, group) => sum + group.length, this.#returned.length);
  }

  /** Removes a sample that was obtained elsewhere. */
  drop(index: number): void {
    for (const group of this.#waiting.values()) {
      const at = group.indexOf(index);
      if (at >= 0) group.splice(at, 1);
    }
  }

  /**
   * Runs one unit at a time in each lane until all are done. A lane ends if its server fails temporarily; its unit goes
   * to the others. The call fails with the last lane's failure, or with any permanent one.
   *
   * @param ask returns how many of the unit's samples, from the first on, are done
   */
  async run<Server>(lanes: readonly Server[], ask: (server: Server, unit: Unit) => Promise<number>): Promise<void> {
    const failed = new Set<Server>();
    const servers = new Set(lanes).size;
    const work = async (server: Server): Promise<void> => {
      while (!failed.has(server)) {
        const unit = this.#next();
        if (unit === null) return;
        let done = 0;
        try {
          done = await ask(server, unit);
        } catch (error) {
          if (isChoicesRefused(error) && unit.indices.length > 1) {
            this.#samplesPerRequest = Math.max(1, Math.min(this.#samplesPerRequest, unit.indices.length >> 1));
          } else {
            failed.add(server);
            const isLast = failed.size === servers;
            if (isLast || !(error instanceof StpError && error.retryable)) throw error;
          }
        }
        if (done > 0 && done < unit.indices.length) this.#samplesPerRequest = done;
        this.#returned.push(...unit.indices.slice(done));
      }
    };
    for (;;) {
      this.#lanes = lanes.filter((server) => !failed.has(server)).map(work);
      await Promise.all(this.#lanes);
      // Units may have come back after the other lanes had run out of work.
      if (this.size === 0) return;
    }
  }

  /** Resolves when no lane is working any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#lanes);
  }

  #next(): Unit | null {
    const first = this.#returned.shift();
    if (first !== undefined) return this.#unit([first]);
    for (const [key, group] of this.#waiting) {
      const taken = group.splice(Math.max(0, group.length - this.#samplesPerRequest)).reverse();
      if (group.length === 0) this.#waiting.delete(key);
      if (taken.length > 0) return this.#unit(taken);
    }
    return null;
  }

  #unit(indices: readonly number[]): Unit {
    return { indices, requests: indices.map((index) => this.#requests[index]!) };
  }
}

function isChoicesRefused(error: unknown): boolean {
  return error instanceof StpError && error.facts.choicesRefused === true;
}
