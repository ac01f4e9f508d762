/**
 * The engine's side of its process: receives the parent's requests, sends messages back, and ends when the parent has
 * died or after a fatal error (which it first reports to the parent).
 */
import type { FailedMessage } from './engine-process.ts';
import { failureOf } from './failure.ts';

/** Posts to the parent; resolves when the message has left this process. */
export type Post<Message> = (message: Message) => Promise<void>;

/** Calls `handle` for every request of the parent. A request that fails ends the process. */
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
  // A terminal sends its interrupt to every process: whether the work stops is for the parent to decide.
  process.on('SIGINT', () => undefined);
}
