/** Sends one request to a new process, which answers by writing a folder: a training, a fresh checkpoint. */
import { removePartialCheckpoints } from '../../checkpoint/checkpoint.ts';
import { EngineProcess, type EngineProcessOptions } from './engine-process.ts';

export interface OneRequest<Message, Result>
  extends Pick<EngineProcessOptions<Message>, 'entry' | 'runMark' | 'silenceLimitMs'> {
  readonly signal: AbortSignal | undefined;
  /** Folder of the checkpoint. If the request fails, its unfinished files are removed. */
  readonly output: string;
  /** Called with every message; calling `done` ends the process. */
  readonly onMessage: (message: Message, done: (result: Result) => void) => void;
}

/** Ends the process with the request or on abort. Throws the process's error, or the signal's reason. */
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
  // Silence is a failure only for an engine with a limit of its own: others may report too rarely.
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
