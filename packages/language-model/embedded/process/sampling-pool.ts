/**
 * A `Generator` over sampling processes of any engine. Samples of one prompt stay together, so the prompt is read once.
 * Calls may overlap and share the processes' batches. When a process fails, the calls with work in it fail with its
 * error and the others continue. A new process replaces it when there is work. The finished samples of a failed call
 * are kept for its retry.
 */
import { StpError } from '@stp/base';
import type {
  Completion,
  GenerateOptions,
  Generator,
  ModelFacts,
  SampleRequest,
  SamplingOptions,
} from '../../generator.ts';
import type { SampleGroup } from '../sampling/sampler.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { EngineProcess } from './engine-process.ts';
import { askedOf, KeptSamples } from './kept-samples.ts';
import { Questions } from './questions.ts';
import { SamplingCall } from './sampling-call.ts';
import type { SamplingMessage, SamplingRequest, TokensAnswer, TokensQuestion } from './sampling-messages.ts';
import { checkRequests } from './sampling-request.ts';

export interface SamplingPoolOptions {
  /** The module that the processes run; it calls `serveSampler`. */
  readonly entry: URL;
  /** Checkpoint and options that every process opens. */
  readonly opening: unknown;
  readonly processes: number;
  /** Number of samples that a process decodes together. */
  readonly rows: number;
  readonly runMark?: string | undefined;
  /** Keep the processes running after an abort, even if no other call has work in them. */
  readonly staysWarm?: boolean | undefined;
}

interface Child {
  readonly engine: EngineProcess<SamplingRequest, SamplingMessage>;
  /** Samples that the process has and has not returned. */
  readonly keys: Set<number>;
  /** Batches of texts that the process has and has not returned. */
  readonly batches: Set<number>;
  /** Questions that the process has and has not answered. */
  readonly asked: Set<number>;
}

interface PendingCall {
  readonly call: SamplingCall;
  readonly abort: () => void;
  readonly resolve: (completions: readonly Completion[]) => void;
  readonly reject: (reason: unknown) => void;
}

/** A process gets this many times its rows ahead, so that a free row always finds the next sample. */
const ROWS_AHEAD = 2;
/** Number of batches of texts that a process holds: the current one and the next one. */
const BATCHES_AHEAD = 2;
/**
 * Blocks above this size, bytes, return to the system when they are freed. By default glibc raises the limit with every
 * larger freed block, and would keep the copies of the weights that opening makes. Other systems ignore the variable.
 */
const ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: String(1024 * 1024) };
/** Minimum samples of a prompt in a part when they are split over processes: a step with fewer rows costs the same. */
const PART_SAMPLES_MIN = 8;

export class SamplingPool implements Generator {
  readonly #options: SamplingPoolOptions;
  readonly #children = new Set<Child>();
  readonly #requests = new Map<number, { readonly pending: PendingCall; readonly index: number }>();
  readonly #calls = new Set<PendingCall>();
  readonly #kept = new KeptSamples();
  readonly #embeddings = new EmbeddingQueue();
  readonly #questions = new Questions<TokensAnswer>();
  #waiting: SampleGroup[] = [];
  #nextKey = 0;
  #closed = false;
  #model: ModelFacts | null = null;

  private constructor(options: SamplingPoolOptions) {
    this.#options = options;
  }

  /** Starts the processes and opens the checkpoint in each. Throws STP1302 if it is damaged. */
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

  get model(): ModelFacts {
    // Set since `open` resolved.
    return this.#model!;
  }

  async sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options: GenerateOptions = {},
  ): Promise<readonly Completion[]> {
    checkRequests(requests, sampling);
    options.signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    if (requests.length === 0) return [];
    return new Promise((resolve, reject) => {
      const abort = () => this.#abort(pending);
      const call = new SamplingCall(requests, sampling, options);
      const pending: PendingCall = { call, abort, resolve, reject };
      options.signal?.addEventListener('abort', abort, { once: true });
      this.#calls.add(pending);
      this.#tell(pending, () => {
        this.#waiting.push(...this.#groups(pending));
      });
      if (call.isDone) this.#settle(pending, () => resolve(call.results));
      else this.#dispatch();
    });
  }

  async embed(
    texts: readonly string[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Float32Array[]> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    if (texts.length === 0) return [];
    const vectors = this.#embeddings.add(texts, signal);
    this.#dispatch();
    return vectors;
  }

  /** Returns the tokens of a prompt, or the text of tokens and the tokens of that text. */
  async ask(question: TokensQuestion): Promise<TokensAnswer> {
    if (this.#closed) throw closedError();
    const child = this.#leastBusy(({ asked }) => asked.size);
    const { key, answered } = this.#questions.open();
    child.asked.add(key);
    child.engine.send({ type: 'ask', key, question });
    updateBusy(child);
    return answered;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#questions.fail(closedError());
    for (const pending of [...this.#calls]) this.#settle(pending, () => pending.reject(closedError()));
    this.#embeddings.failAll(closedError());
    await this.#endChildren();
  }

  /** Groups the call's samples by prompt, at most a batch in a group. Samples kept from an earlier try are done. */
  #groups(pending: PendingCall): SampleGroup[] {
    const { call } = pending;
    const { sampling, isStreamed } = call;
    const byPrompt = new Map<string, { request: SampleRequest; samples: { key: number; seed: number }[] }>();
    call.requests.forEach((request, index) => {
      const kept = this.#kept.take(request, sampling);
      if (kept !== null) {
        if (kept.text !== '') call.show(index, kept.text);
        call.finish(index, kept);
        return;
      }
      const key = this.#nextKey++;
      call.keys.add(key);
      this.#requests.set(key, { pending, index });
      const asked = askedOf(request);
      const sample = { key, seed: request.seed };
      const group = byPrompt.get(asked);
      if (group === undefined) byPrompt.set(asked, { request, samples: [sample] });
      else group.samples.push(sample);
    });
    const { rows, processes } = this.#options;
    const fairPart = Math.max(PART_SAMPLES_MIN, Math.ceil(call.keys.size / processes));
    const partMax = Math.min(rows, fairPart);
    return [...byPrompt.values()].flatMap(({ request: { prompt, grammar, gbnf }, samples }) =>
      Array.from({ length: Math.ceil(samples.length / partMax) }, (_, part) => ({
        prompt,
        grammar,
        gbnf,
        sampling,
        isStreamed,
        samples: samples.slice(part * partMax, (part + 1) * partMax),
      })),
    );
  }

  /** Gives waiting work to the least busy process, while any wants more. */
  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const child = this.#leastBusy(({ keys }) => keys.size);
      if (child.keys.size >= ROWS_AHEAD * this.#options.rows) break;
      const group = this.#waiting.shift()!;
      for (const { key } of group.samples) child.keys.add(key);
      child.engine.send({ type: 'add', group });
      updateBusy(child);
    }
    while (this.#embeddings.isWaiting) {
      const child = this.#leastBusy(({ batches }) => batches.size);
      if (child.batches.size >= BATCHES_AHEAD) break;
      const batch = this.#embeddings.next()!;
      child.batches.add(batch.key);
      child.engine.send({ type: 'embed', ...batch });
      updateBusy(child);
    }
  }

  /**
   * Returns the least busy process; starts one if needed. If it fails to open, the call whose work it has gets the
   * error.
   */
  #leastBusy(load: (child: Child) => number): Child {
    if (this.#children.size < this.#options.processes) return this.#startChild();
    return [...this.#children].reduce((least, child) => (load(child) < load(least) ? child : least));
  }

  #startChild(onOpened?: () => void, onFailure?: (error: StpError) => void): Child {
    const child: Child = {
      keys: new Set(),
      batches: new Set(),
      asked: new Set(),
      engine: new EngineProcess<SamplingRequest, SamplingMessage>({
        entry: this.#options.entry,
        runMark: this.#options.runMark,
        environment: ENVIRONMENT,
        onMessage: (message) => {
          if (message.type === 'sampled') this.#take(child, message);
          else if (message.type === 'embedded') {
            child.batches.delete(message.key);
            this.#embeddings.take(message.key, message.vectors, this.model.hiddenSize);
            this.#dispatch();
          } else if (message.type === 'answered') {
            child.asked.delete(message.key);
            this.#questions.answer(message.key, message.answer);
          } else {
            this.#model ??= message.model;
            onOpened?.();
          }
          updateBusy(child);
        },
        onFailure: (error) => {
          this.#children.delete(child);
          onFailure?.(error);
          for (const pending of this.#callsIn(child)) {
            this.#kept.keep(pending.call);
            this.#settle(pending, () => pending.reject(error));
          }
          this.#embeddings.fail(child.batches, error);
          this.#questions.fail(error, child.asked);
          this.#dispatch();
        },
      }),
    };
    this.#children.add(child);
    child.engine.setBusy(true);
    const { opening, rows } = this.#options;
    child.engine.send({ type: 'open', opening, rows });
    return child;
  }

  #take(child: Child, { samples, texts }: SamplingMessage & { type: 'sampled' }): void {
    for (const { key, delta } of texts) {
      const request = this.#requests.get(key);
      if (request !== undefined) this.#tell(request.pending, () => request.pending.call.show(request.index, delta));
    }
    for (const { key, ...sampled } of samples) {
      child.keys.delete(key);
      const request = this.#requests.get(key);
      if (request === undefined) continue;
      const { pending, index } = request;
      const { call } = pending;
      this.#requests.delete(key);
      call.keys.delete(key);
      this.#tell(pending, () => call.finish(index, { id: call.requests[index]!.id, ...sampled }));
    }
    for (const pending of [...this.#calls]) {
      this.#tell(pending, () => pending.call.report());
      if (pending.call.isDone) this.#settle(pending, () => pending.resolve(pending.call.results));
    }
    this.#dispatch();
  }

  /** Runs the caller's callback. An error there fails only its call. */
  #tell(pending: PendingCall, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#settle(pending, () => pending.reject(error));
    }
  }

  /** Ends the processes that have only this call's work, unless they stay warm. Otherwise drops only its samples. */
  #abort(pending: PendingCall): void {
    if (!this.#calls.has(pending)) return;
    this.#settle(pending, () => undefined);
    this.#dispatch();
    const isIdle =
      this.#options.staysWarm !== true && this.#calls.size === 0 && this.#embeddings.isIdle && this.#questions.isIdle;
    const ended = isIdle ? this.#endChildren() : Promise.resolve();
    ended.then(
      () => pending.reject(pending.call.options.signal?.reason),
      (error: unknown) => pending.reject(error),
    );
  }

  /** Removes a call and its samples from the pool, and informs its caller. */
  #settle(pending: PendingCall, tell: () => void): void {
    if (!this.#calls.delete(pending)) return;
    const { options, keys } = pending.call;
    options.signal?.removeEventListener('abort', pending.abort);
    for (const key of keys) this.#requests.delete(key);
    if (keys.size > 0) {
      this.#waiting = this.#waiting.flatMap((group) => {
        const samples = group.samples.filter(({ key }) => !keys.has(key));
        return samples.length === 0 ? [] : [{ ...group, samples }];
      });
      for (const child of this.#children) {
        const given = new Set([...child.keys].filter((key) => keys.has(key)));
        if (given.size === 0) continue;
        child.engine.send({ type: 'drop', keys: given });
        for (const key of given) child.keys.delete(key);
        updateBusy(child);
      }
    }
    tell();
  }

  #callsIn(child: Child): Set<PendingCall> {
    return new Set([...child.keys].flatMap((key) => this.#requests.get(key)?.pending ?? []));
  }

  async #endChildren(): Promise<void> {
    const children = [...this.#children];
    this.#children.clear();
    await Promise.all(children.map(({ engine }) => engine.end()));
  }
}

/** Silence is a failure only while an answer is expected. */
function updateBusy({ engine, keys, batches, asked }: Child): void {
  engine.setBusy(keys.size > 0 || batches.size > 0 || asked.size > 0);
}

function closedError(): StpError {
  return new StpError('STP1301', 'the generator is closed', 'Open another on the checkpoint.', { retryable: true });
}
