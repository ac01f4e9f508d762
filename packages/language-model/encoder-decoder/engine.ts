/**
 * An encoder-decoder in a separate process, so that its steps do not block the caller. Requests are answered one after
 * another; an aborted one ends at its next token. If the process fails, the waiting requests are rejected, and the next
 * request starts a new process.
 */
import { StpError } from '@stp/base';
import { EngineProcess } from '../embedded/process/engine-process.ts';
import type { EncoderDecoderMessage, EncoderDecoderRequest, WriteRequest, WrittenText } from './messages.ts';

export interface EncoderDecoderOptions {
  /** Exported folder (`folder.ts`). */
  readonly folder: string;
  /** Threads for each operator of the graphs. */
  readonly threads: number;
  /** The run that the process belongs to, for clean-up. */
  readonly runMark?: string;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}
type Engine = EngineProcess<EncoderDecoderRequest, EncoderDecoderMessage>;

export class EncoderDecoder {
  /** First hex digits of the SHA-256 of the model's files. */
  model = '';
  readonly #options: EncoderDecoderOptions;
  readonly #pending = new Map<number, Pending>();
  #engine: Engine | null = null;
  #nextKey = 0;
  #isClosed = false;

  private constructor(options: EncoderDecoderOptions) {
    this.#options = options;
  }

  /** Throws STP1301 if the graphs cannot be opened, STP1302 if the folder is damaged or of another model. */
  static async open(options: EncoderDecoderOptions): Promise<EncoderDecoder> {
    const one = new EncoderDecoder(options);
    await new Promise<void>((resolve, reject) => one.#start(resolve, reject));
    return one;
  }

  /**
   * Writes answers: beam search returns the best first, sampling the order of the seeds. Rejects with the signal's
   * reason.
   */
  write(request: WriteRequest, signal?: AbortSignal): Promise<readonly WrittenText[]> {
    return this.#ask((key) => ({ type: 'write', key, request }), signal);
  }

  /** Returns the mean of the encoder's hidden states, scaled to L2 norm 1, of the text cut to `inputBytesMax` bytes. */
  embed(text: string, inputBytesMax: number, signal?: AbortSignal): Promise<Float32Array> {
    return this.#ask((key) => ({ type: 'embed', key, text, inputBytesMax }), signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#fail(closed());
    await this.#engine?.end();
  }

  async #ask<Value>(make: (key: number) => EncoderDecoderRequest, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    const key = this.#nextKey++;
    const engine = this.#engine ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    this.#pending.set(key, { resolve, reject });
    // A dropped request stays pending until the process confirms it, because the process is busy until then.
    const leave = (): void => {
      engine.send({ type: 'drop', key });
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    engine.setBusy(true);
    engine.send(make(key));
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #start(onOpened: () => void = () => {}, onFailure: (error: StpError) => void = () => {}): Engine {
    const engine: Engine = new EngineProcess<EncoderDecoderRequest, EncoderDecoderMessage>({
      entry: new URL('./child.ts', import.meta.url),
      runMark: this.#options.runMark,
      onMessage: (message) => {
        if (message.type === 'opened') {
          this.model = message.model;
          onOpened();
        } else if (message.type !== 'alive') this.#take(message);
        engine.setBusy(this.#pending.size > 0);
      },
      onFailure: (error) => {
        if (this.#engine === engine) this.#engine = null;
        onFailure(error);
        this.#fail(error);
      },
    });
    this.#engine = engine;
    engine.setBusy(true);
    engine.send({ type: 'open', folder: this.#options.folder, threads: this.#options.threads });
    return engine;
  }

  #take(message: Exclude<EncoderDecoderMessage, { type: 'opened' | 'alive' }>): void {
    const pending = this.#pending.get(message.key);
    this.#pending.delete(message.key);
    if (message.type === 'written') pending?.resolve(message.texts as never);
    else if (message.type === 'embedded') pending?.resolve(message.vector as never);
  }

  #fail(error: StpError): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function closed(): StpError {
  return new StpError('STP1301', 'the encoder-decoder is closed', 'Open another on the folder.', { retryable: true });
}
