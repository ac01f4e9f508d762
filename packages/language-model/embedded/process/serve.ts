/**
 * The child's side of an engine process: receives the parent's requests, sends messages, and exits when the parent has
 * died or after reporting a fatal error.
 */
import type { FailedMessage } from './engine-process.ts';
import { failureOf } from './failure.ts';

/** Posts to the parent. Resolves once the message has left this process. */
export type Post<Message> = (message: Message) => Promise<void>;

/** Calls `handle` for every request. A failed request ends the process. */
export function serve<Request, Message extends object>(
  handle: (request: Request, post: Post<Message>) => Promise<void>,
): void {
  const post = (message: Message | FailedMessage) =>
    new Promise<void>((resolve) => {
      if (process.send === undefined) resolve();
      else process.send(message, () => resolve());
    });
  const fail = async (error: unknown) => {
    await post({ type: 'failed', failure: failureOf(error) });
    process.exit(1);
  };
  process.on('message', (request) => {
    handle(request as Request, post).catch(fail);
  });
  process.on('uncaughtException', fail);
  process.on('disconnect', () => process.exit(0));
  // A terminal sends its interrupt to every process. The parent decides whether the work stops.
  process.on('SIGINT', () => undefined);
}
