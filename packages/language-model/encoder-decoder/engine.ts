/**
 * An encoder-decoder in a process of its own, so that no step of it blocks who asks. Requests are answered one after the other;
 * one that is aborted ends at its next token. A process that fails rejects what waits for it, and the next request starts
 * another.
 */
import { StpError } from '@stp/base';
import { EngineProcess } from '../embedded/process/engine-process.ts';
import type { EncoderDecoderMessage, EncoderDecoderRequest, WriteRequest, WrittenText } from './messages.ts';

export interface EncoderDecoderOptions {
  /** Exported folder (`folder.ts`). */
  readonly folder: string;
  /** Threads of each operator of the graphs. */
  readonly threads: number;
  /** Run the process belongs to, for clean-up. */
  readonly runMark?: string;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}
type Engine = EngineProcess<EncoderDecoderRequest, EncoderDecoderMessage>;

export class EncoderDecoder {
  /** First hex digits of the SHA-256 of its files. */
  model = '';
  readonly #options: EncoderDecoderOptions;
  readonly #pending = new Map<number, Pending>();
  #engine: Engine | null = null;
  #nextKey = 0;
  #isClosed = false;

  private constructor(options: EncoderDecoderOptions) {
    this.#options = options;
  }

  /** Throws STP1301 where the graphs cannot be opened, STP1302 where the folder is damaged or of another model. */
  static async open(options: EncoderDecoderOptions): Promise<EncoderDecoder> {
    const one = new EncoderDecoder(options);
    await new Promise<void>((resolve, reject) => one.#start(resolve, reject));
    return one;
  }

  /** Writes answers: by beam search the best first, by sampling in the order of the seeds. Rejects with the signal's reason. */
  write(request: WriteRequest, signal?: AbortSignal): Promise<readonly WrittenText[]> {
    return this.#ask((key) => ({ type: 'write', key, request }), signal);
  }

  /** Mean of the encoder's hidden states at length 1 in L2, of the text cut to so many bytes. */
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
    // What is dropped still counts as pending until the process says so: until then it is busy.
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
