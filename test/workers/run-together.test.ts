/** Workers that run together, by what of a worker counts here: when it runs, ends and fails. */
import { expect, it } from 'vitest';
import { type RunnableWorker, runTogether } from '../../workers/run-together.ts';

/**
 * A worker that ends some event-loop turns after it is told to, and refuses to be told twice, as Temporal's workers do.
 */
function worker(log: string[], name: string) {
  const ended = Promise.withResolvers<void>();
  let state: ReturnType<RunnableWorker['getState']> = 'INITIALIZED';
  return {
    run: async () => {
      state = 'RUNNING';
      await ended.promise;
      log.push(`${name} ended`);
    },
    shutdown: () => {
      if (state !== 'RUNNING') throw new Error(`not running but ${state}`);
      state = 'STOPPING';
      log.push(`${name} told to end`);
      setImmediate(ended.resolve);
    },
    getState: () => state,
    fail: (error: Error) => {
      state = 'FAILED';
      ended.reject(error);
    },
  };
}

it('ends the others when one fails, waits for them, and throws its error', async () => {
  const log: string[] = [];
  const [first, second, stopping] = [worker(log, 'first'), worker(log, 'second'), worker(log, 'stopping')];
  const together = runTogether([first, second, stopping], () => log.push('started'));
  stopping.shutdown();
  first.fail(new Error('lost the server'));
  await expect(together).rejects.toThrow('lost the server');
  expect(log.toSorted()).toEqual(
    ['started', 'stopping told to end', 'stopping ended', 'second told to end', 'second ended'].toSorted(),
  );
});

it('ends when all have ended, and where being told that they started fails', async () => {
  const log: string[] = [];
  const [first, second] = [worker(log, 'first'), worker(log, 'second')];
  const together = runTogether([first, second], () => undefined);
  first.shutdown();
  second.shutdown();
  await together;
  const third = worker(log, 'third');
  const failing = runTogether([third], () => {
    throw new Error('no one listens');
  });
  await expect(failing).rejects.toThrow('no one listens');
  expect(log).toContain('third ended');
});
