/**
 * A `Generator` over sampling processes, one a thread. Samples of one prompt stay together (it is read once); calls may
 * overlap and share the processes' batches. When a process fails, the calls with samples in it fail with its error, the
 * others go on, and a fresh process takes its place when there is work again. What a failed call had finished is kept for
 * its next try.
 */
import { z } from 'zod';
import { StpError } from '../../../data/errors.ts';
import type { Completion, GenerateOptions, Generator, SampleRequest, SamplingOptions } from '../../generator.ts';
import type { Sampled, SampleGroup } from '../sampling/sampler.ts';
import { EngineProcess } from './engine-process.ts';
import type { SamplingMessage, SamplingRequest } from './sampling-messages.ts';

export interface SamplingPoolOptions {
  readonly checkpointDirectory: string;
  readonly processes: number;
  /** Samples a process decodes together. */
  readonly rows: number;
  readonly runMark?: string | undefined;
}

const samplingSchema = z.strictObject({
  temperature: z.number().nonnegative().max(100),
  topP: z.number().positive().max(1),
  maxTokens: z.int().positive(),
});
const seedSchema = z.int().nonnegative();

interface Call {
  readonly requests: readonly SampleRequest[];
  readonly sampling: SamplingOptions;
  readonly results: Completion[];
  readonly options: GenerateOptions;
  readonly abort: () => void;
  done: number;
  tokens: number;
  readonly resolve: (completions: readonly Completion[]) => void;
  readonly reject: (reason: unknown) => void;
}

interface Child {
  readonly engine: EngineProcess<SamplingRequest, SamplingMessage>;
  /** Samples given to it that have not come back. */
  readonly keys: Set<number>;
}

/** Finished samples of failed calls that are kept, some hundred bytes each; beyond that they are sampled again. */
const KEPT_SAMPLES_MAX = 100_000;

/** A process is given this many times its rows ahead, so that a row that ends always finds the next sample. */
const ROWS_AHEAD = 2;

export class SamplingPool implements Generator {
  readonly #options: SamplingPoolOptions;
  readonly #children = new Set<Child>();
  readonly #places = new Map<number, { readonly call: Call; readonly index: number }>();
  readonly #calls = new Set<Call>();
  /** Samples of failed calls, by what they are a function of. */
  readonly #kept = new Map<string, Completion>();
  #waiting: SampleGroup[] = [];
  #nextKey = 0;
  #closed = false;

  private constructor(options: SamplingPoolOptions) {
    this.#options = options;
  }

  /** Starts the processes and opens the checkpoint in each. Throws STP1302 where it is damaged. */
  static async open(options: SamplingPoolOptions): Promise<SamplingPool> {
    const pool = new SamplingPool(options);
    const opened = Array.from(
      { length: options.processes },
      () => new Promise<void>((resolve, reject) => pool.#startChild(resolve, reject)),
    );
    try {
      await Promise.all(opened);
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  async sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options: GenerateOptions = {},
  ): Promise<readonly Completion[]> {
    checkRequest(requests, sampling);
    options.signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    if (requests.length === 0) return [];
    return new Promise((resolve, reject) => {
      const results = new Array<Completion>(requests.length);
      const abort = () => this.#abort(call);
      const call: Call = { requests, sampling, results, options, abort, done: 0, tokens: 0, resolve, reject };
      options.signal?.addEventListener('abort', abort, { once: true });
      this.#calls.add(call);
      this.#waiting.push(...this.#groups(call));
      if (call.done === requests.length) this.#settle(call, () => resolve(results));
      else this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const call of [...this.#calls]) this.#settle(call, () => call.reject(closedError()));
    await this.#endChildren();
  }

  /** The call's samples by prompt, at most a batch in a group; those kept from an earlier try are done. */
  #groups(call: Call): SampleGroup[] {
    const { sampling } = call;
    const byPrompt = new Map<string, { key: number; seed: number }[]>();
    call.requests.forEach((request, index) => {
      const { id, prompt, seed } = request;
      const kept = this.#kept.get(identityOf(request, sampling));
      if (kept !== undefined) {
        this.#finish(call, index, { ...kept, id });
        return;
      }
      const key = this.#nextKey++;
      this.#places.set(key, { call, index });
      const samples = byPrompt.get(prompt);
      if (samples === undefined) byPrompt.set(prompt, [{ key, seed }]);
      else samples.push({ key, seed });
    });
    const { rows } = this.#options;
    return [...byPrompt].flatMap(([prompt, samples]) =>
      Array.from({ length: Math.ceil(samples.length / rows) }, (_, part) => ({
        prompt,
        sampling,
        samples: samples.slice(part * rows, (part + 1) * rows),
      })),
    );
  }

  /** Gives waiting groups to the process with the least to do, while any wants more. */
  #dispatch(): void {
    while (this.#waiting.length > 0) {
      // A process started here gets its group at once: should it fail to open, that group's call hears of it.
      if (this.#children.size < this.#options.processes) this.#startChild();
      let child: Child | null = null;
      for (const other of this.#children) if (child === null || other.keys.size < child.keys.size) child = other;
      if (child === null || child.keys.size >= ROWS_AHEAD * this.#options.rows) return;
      const group = this.#waiting.shift()!;
      for (const { key } of group.samples) child.keys.add(key);
      child.engine.setBusy(true);
      child.engine.send({ type: 'add', group });
    }
  }

  #startChild(onOpened?: () => void, onFailure?: (error: StpError) => void): void {
    const child: Child = {
      keys: new Set(),
      engine: new EngineProcess<SamplingRequest, SamplingMessage>({
        entry: new URL('./sampling-child.ts', import.meta.url),
        runMark: this.#options.runMark,
        onMessage: (message) => {
          if (message.type === 'sampled') this.#take(child, message.samples);
          else {
            child.engine.setBusy(child.keys.size > 0);
            onOpened?.();
          }
        },
        onFailure: (error) => {
          this.#children.delete(child);
          onFailure?.(error);
          for (const call of this.#callsIn(child)) {
            this.#keep(call);
            this.#settle(call, () => call.reject(error));
          }
          this.#dispatch();
        },
      }),
    };
    this.#children.add(child);
    child.engine.setBusy(true);
    const { checkpointDirectory, rows } = this.#options;
    child.engine.send({ type: 'open', checkpointDirectory, rows });
  }

  #take(child: Child, samples: readonly Sampled[]): void {
    for (const { key, ...sampled } of samples) {
      child.keys.delete(key);
      const place = this.#places.get(key);
      if (place === undefined) continue;
      const { call, index } = place;
      this.#places.delete(key);
      this.#finish(call, index, { id: call.requests[index]!.id, ...sampled });
    }
    if (child.keys.size === 0) child.engine.setBusy(false);
    for (const call of [...this.#calls]) {
      call.options.onProgress?.({ completions: call.done, tokens: call.tokens });
      if (call.done === call.requests.length) this.#settle(call, () => call.resolve(call.results));
    }
    this.#dispatch();
  }

  #finish(call: Call, index: number, completion: Completion): void {
    call.results[index] = completion;
    call.done++;
    call.tokens += completion.tokens;
    // Whatever kept it for this call has served.
    if (this.#kept.size > 0) this.#kept.delete(identityOf(call.requests[index]!, call.sampling));
  }

  #keep(call: Call): void {
    call.results.forEach((completion, index) => {
      if (this.#kept.size < KEPT_SAMPLES_MAX)
        this.#kept.set(identityOf(call.requests[index]!, call.sampling), completion);
    });
  }

  /** Ends the processes where the call was the only one; else only its samples are dropped. */
  #abort(call: Call): void {
    if (!this.#calls.has(call)) return;
    this.#settle(call, () => undefined);
    this.#dispatch();
    const ended = this.#calls.size === 0 ? this.#endChildren() : Promise.resolve();
    ended.then(
      () => call.reject(call.options.signal?.reason),
      (error: unknown) => call.reject(error),
    );
  }

  /** Takes a call out of the pool, its samples with it, and tells its caller. */
  #settle(call: Call, tell: () => void): void {
    this.#calls.delete(call);
    call.options.signal?.removeEventListener('abort', call.abort);
    const left = new Set<number>();
    for (const [key, place] of this.#places) if (place.call === call) left.add(key);
    for (const key of left) this.#places.delete(key);
    if (left.size > 0) {
      this.#waiting = this.#waiting.flatMap((group) => {
        const samples = group.samples.filter(({ key }) => !left.has(key));
        return samples.length === 0 ? [] : [{ ...group, samples }];
      });
      for (const child of this.#children) {
        child.engine.send({ type: 'drop', keys: left });
        for (const key of left) child.keys.delete(key);
        if (child.keys.size === 0) child.engine.setBusy(false);
      }
    }
    tell();
  }

  #callsIn(child: Child): Set<Call> {
    return new Set([...child.keys].flatMap((key) => this.#places.get(key)?.call ?? []));
  }

  async #endChildren(): Promise<void> {
    const children = [...this.#children];
    this.#children.clear();
    await Promise.all(children.map(({ engine }) => engine.end()));
  }
}

/** All that a sample depends on beside the checkpoint. */
function identityOf({ prompt, seed }: SampleRequest, { temperature, topP, maxTokens }: SamplingOptions): string {
  return JSON.stringify([seed, temperature, topP, maxTokens, prompt]);
}

function checkRequest(requests: readonly SampleRequest[], sampling: SamplingOptions): void {
  const parsed = samplingSchema.safeParse(sampling);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const unfit = requests.find(({ seed }) => !seedSchema.safeParse(seed).success);
  if (unfit !== undefined) throw invalid(`seed ${unfit.seed} of request ${unfit.id}`);
}

function invalid(problem: string): StpError {
  return new StpError(
    'STP1002',
    `sampling: ${problem}`,
    'See `SamplingOptions` and `SampleRequest` for what is accepted.',
  );
}

function closedError(): StpError {
  return new StpError('STP1301', 'the generator is closed', 'Open another on the checkpoint.', { retryable: true });
}
