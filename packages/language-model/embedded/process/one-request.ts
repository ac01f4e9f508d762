/** One request to a process of its own, whose answer is a folder that it writes: a training, a fresh checkpoint. */
import { removePartialCheckpoints } from '../../checkpoint/checkpoint.ts';
import { EngineProcess, type EngineProcessOptions } from './engine-process.ts';

export interface OneRequest<Message, Result>
  extends Pick<EngineProcessOptions<Message>, 'entry' | 'runMark' | 'silenceLimitMs'> {
  readonly signal: AbortSignal | undefined;
  /** Folder of a checkpoint: what is left of it half-written is removed when the request fails. */
  readonly output: string;
  /** Called with every message; `done` ends the process. */
  readonly onMessage: (message: Message, done: (result: Result) => void) => void;
}

/** Ends the process with the request and on abort. Throws what the process says, or the signal's reason. */
export async function inOwnProcess<Message extends { readonly type: string }, Result>(
  request: object,
  { entry, runMark, silenceLimitMs, signal, output, onMessage }: OneRequest<Message, Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const engine = new EngineProcess<object, Message>({
    entry,
    runMark,
    silenceLimitMs,
    onMessage: (message) => onMessage(message, resolve),
    onFailure: reject,
  });
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  // Only an engine with a limit of its own reports often enough to be watched.
  engine.setBusy(silenceLimitMs !== undefined);
  engine.send(request);
  try {
    return await promise;
  } catch (error) {
    await engine.end();
    await removePartialCheckpoints(output);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await engine.end();
  }
}
