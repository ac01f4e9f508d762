/**
 * A streamed answer as server-sent events (`data: …`, at the end `data: [DONE]`). Text that arrives faster than the
 * client reads is joined into one piece for each choice, so the waiting text is never longer than the answer.
 */
import { Readable } from 'node:stream';
import type { Completion, GenerateOptions } from '../generator.ts';
import { apiErrorOf } from './api-error.ts';
import { type AnswerForm, usageOf } from './completion-answer.ts';

/** Time for a client to receive the rest of a stream that was ended early. */
const LAST_WORDS_MS = 1_000;

export interface StreamOptions {
  readonly form: AnswerForm;
  readonly modelName: string;
  readonly promptTokens: number;
  readonly withUsage: boolean;
  /** Starts sampling; its callbacks feed the stream. */
  readonly sample: (options: GenerateOptions) => Promise<readonly Completion[]>;
  /** Ends the sampling and the stream, whether or not the client reads. */
  readonly signal: AbortSignal;
  /** Receives failures, of which the client sees only a part. */
  readonly report: (error: unknown) => void;
  /** Called once when the stream has closed, read to its end or not. */
  readonly end: () => void;
}

/**
 * Resolves with the stream at its first event, so that an earlier failure gets its own HTTP status. If the sampling
 * fails before that, it rejects, and the caller must call `end`.
 */
export async function completionEvents(options: StreamOptions): Promise<Readable> {
  const pending = new PendingParts();
  const working = options.sample({
    onText: (index, delta) => pending.addText(index, delta),
    onCompletion: (index, completion) => pending.addEnd(index, completion),
  });
  working.then(
    () => pending.finish(null),
    (error: unknown) => pending.finish(error),
  );
  await pending.change();
  if (pending.isEmpty && pending.failure !== null) throw pending.failure;
  const stream = Readable.from(events(pending, options), { objectMode: false }).once('close', options.end);
  const cut = () => setTimeout(() => stream.destroy(), LAST_WORDS_MS).unref();
  options.signal.addEventListener('abort', cut, { once: true });
  return stream;
}

async function* events(pending: PendingParts, { form, modelName, promptTokens, withUsage, report }: StreamOptions) {
  const head = form.head(modelName, true);
  let completionTokens = 0;
  for (;;) {
    const { texts, ends, finished } = pending.take();
    for (const [index, text] of texts) yield event({ ...head, choices: [form.piece(index, text)] });
    for (const [index, completion] of ends) {
      completionTokens += completion.tokens;
      yield event({ ...head, choices: [form.end(index, completion)] });
    }
    if (finished) break;
    await pending.change();
  }
  if (pending.failure !== null) {
    yield event(apiErrorOf(pending.failure, report).toBody());
    return;
  }
  if (withUsage) yield event({ ...head, choices: [], usage: usageOf(promptTokens, completionTokens) });
  yield 'data: [DONE]\n\n';
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Parts from the engine that have not been sent to the client. */
class PendingParts {
  #texts = new Map<number, string>();
  #ends: (readonly [number, Completion])[] = [];
  #finished = false;
  #failure: unknown = null;
  #wake: (() => void) | null = null;

  get failure(): unknown {
    return this.#failure;
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0 && this.#ends.length === 0;
  }

  addText(index: number, delta: string): void {
    this.#texts.set(index, (this.#texts.get(index) ?? '') + delta);
    this.#wake?.();
  }

  addEnd(index: number, completion: Completion): void {
    this.#ends.push([index, completion]);
    this.#wake?.();
  }

  finish(failure: unknown): void {
    this.#failure = failure;
    this.#finished = true;
    this.#wake?.();
  }

  /** Returns all waiting parts. Texts come before ends, so a choice's text is complete when its end comes. */
  take() {
    const taken = { texts: this.#texts, ends: this.#ends, finished: this.#finished };
    this.#texts = new Map();
    this.#ends = [];
    return taken;
  }

  /** Resolves when a part is waiting, or when no more will come. */
  change(): Promise<void> {
    if (!this.isEmpty || this.#finished) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
