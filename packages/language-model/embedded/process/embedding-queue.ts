/**
 * Splits calls for embeddings into batches, which processes take one by one. The pool hands out the batches and returns
 * vectors, or the failure of a process.
 */
import { EMBEDDING_TOKENS_MAX } from '../../generator.ts';

export interface TextBatch {
  readonly key: number;
  readonly texts: readonly string[];
}

interface EmbeddingCall {
  readonly vectors: Float32Array[];
  readonly signal: AbortSignal | undefined;
  readonly abort: () => void;
  left: number;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Maximum tokens of a batch, unless a single text has more. Small models then answer well within a heartbeat, large
 * ones within the engine's silence limit, and the overhead of a message stays small.
 */
const TOKENS_PER_BATCH = 8_192;

export class EmbeddingQueue {
  readonly #calls = new Set<EmbeddingCall>();
  /** Unanswered batches, whether or not a process has them. */
  readonly #requests = new Map<number, { readonly call: EmbeddingCall; readonly start: number }>();
  #waiting: TextBatch[] = [];
  #nextKey = 0;

  /** Resolves with one vector for each text once all batches are answered. */
  add(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> {
    return new Promise((resolve, reject) => {
      const abort = () => this.#settle(call, () => reject(signal?.reason));
      const vectors = new Array<Float32Array>(texts.length);
      const call: EmbeddingCall = { vectors, signal, abort, left: texts.length, resolve, reject };
      signal?.addEventListener('abort', abort, { once: true });
      this.#calls.add(call);
      for (let start = 0; start < texts.length; ) {
        const end = endOfBatch(texts, start);
        const key = this.#nextKey++;
        this.#requests.set(key, { call, start });
        this.#waiting.push({ key, texts: texts.slice(start, end) });
        start = end;
      }
    });
  }

  get isIdle(): boolean {
    return this.#calls.size === 0;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  next(): TextBatch | undefined {
    return this.#waiting.shift();
  }

  /** Takes a batch's result. `vectors` holds its vectors one after another. */
  take(key: number, vectors: Float32Array, hiddenSize: number): void {
    const request = this.#requests.get(key);
    if (request === undefined) return;
    this.#requests.delete(key);
    const { call, start } = request;
    const count = vectors.length / hiddenSize;
    for (let index = 0; index < count; index++)
      call.vectors[start + index] = vectors.slice(index * hiddenSize, (index + 1) * hiddenSize);
    call.left -= count;
    if (call.left === 0) this.#settle(call, () => call.resolve(call.vectors));
  }

  /** Fails the calls that own any of these batches. */
  fail(keys: ReadonlySet<number>, error: Error): void {
    for (const key of keys) {
      const call = this.#requests.get(key)?.call;
      if (call !== undefined) this.#settle(call, () => call.reject(error));
    }
  }

  failAll(error: Error): void {
    for (const call of [...this.#calls]) this.#settle(call, () => call.reject(error));
  }

  #settle(call: EmbeddingCall, tell: () => void): void {
    this.#calls.delete(call);
    call.signal?.removeEventListener('abort', call.abort);
    for (const [key, request] of this.#requests) if (request.call === call) this.#requests.delete(key);
    this.#waiting = this.#waiting.filter(({ key }) => this.#requests.has(key));
    tell();
  }
}

/** Estimates a text's tokens: at most about one for each character, and no more than an embedding reads. */
function endOfBatch(texts: readonly string[], start: number): number {
  let end = start;
  let tokens = 0;
  do tokens += Math.min(texts[end++]!.length, EMBEDDING_TOKENS_MAX);
  while (end < texts.length && tokens + Math.min(texts[end]!.length, EMBEDDING_TOKENS_MAX) <= TOKENS_PER_BATCH);
  return end;
}
