/** The semaphore: how many run at once, in which order, and the effect of an abort before the permit. */
import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** Makes work that records when it begins, and ends when the test says so. */
function work(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = async (): Promise<string> => {
    begun.push(name);
    await promise;
    return name;
  };
  return { run, end: resolve };
}

it('runs at most as many at once as the caller allows, in order of arrival', async () => {
  const permits = new Semaphore();
  const begun: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => work(name, begun));
  const all = [permits.run(2, a!.run), permits.run(2, b!.run), permits.run(1, c!.run), permits.run(3, d!.run)];
  await Promise.resolve();
  expect(begun).toEqual(['a', 'b']);
  a!.end();
  await all[0];
  // There would be room for `d`, but `c` came before it.
  expect(begun).toEqual(['a', 'b']);
  b!.end();
  await all[1];
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  c!.end();
  d!.end();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

it('passes on the permit of failed work, and one that nobody waits for any more', async () => {
  const permits = new Semaphore();
  const begun: string[] = [];
  const [last, other] = [work('last', begun), work('other', begun)];
  const failing = Promise.withResolvers<string>();
  const failed = permits.run(1, () => failing.promise);
  const given = new AbortController();
  const gone = permits.run(1, other.run, given.signal);
  const done = permits.run(1, last.run);
  given.abort(new Error('over'));
  await expect(gone).rejects.toThrow('over');
  expect(begun).toEqual([]);
  failing.reject(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  last.end();
  expect(await done).toBe('last');
  await expect(permits.run(1, other.run, AbortSignal.abort(new Error('early')))).rejects.toThrow('early');
  expect(begun).toEqual(['last']);
});
