/** The semaphore: how many run at once, in which order, and the effect of an abort before a turn. */
import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

/** Work that says when it begins and ends when told to. */
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
  const turns = new Semaphore();
  const begun: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => work(name, begun));
  const all = [turns.run(2, a!.run), turns.run(2, b!.run), turns.run(1, c!.run), turns.run(3, d!.run)];
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

it('passes on a turn whose work failed, and one that nobody waits for any more', async () => {
  const turns = new Semaphore();
  const begun: string[] = [];
  const [last, other] = [work('last', begun), work('other', begun)];
  const failing = Promise.withResolvers<string>();
  const failed = turns.run(1, () => failing.promise);
  const given = new AbortController();
  const gone = turns.run(1, other.run, given.signal);
  const done = turns.run(1, last.run);
  given.abort(new Error('over'));
  await expect(gone).rejects.toThrow('over');
  expect(begun).toEqual([]);
  failing.reject(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  last.end();
  expect(await done).toBe('last');
  await expect(turns.run(1, other.run, AbortSignal.abort(new Error('early')))).rejects.toThrow('early');
  expect(begun).toEqual(['last']);
});
