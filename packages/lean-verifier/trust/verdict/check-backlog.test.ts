/** How waiting work is cut into runs. No Lean. */
import { expect, it } from 'vitest';
import { openBacklog } from './check-backlog.ts';

const entry = (index: number) => ({ header: 'import Init', source: String(index) }) as never;

/** Sizes of the runs of two processes; one of them always runs. */
function runsOf(entries: number, entriesPerRun: number): number[] {
  const backlog = openBacklog<never>({ entriesPerRun, runsMax: 2, look: 'small' });
  for (let index = 0; index < entries; index += 1) backlog.add(entry(index));
  backlog.complete();
  const sizes: number[] = [];
  for (let task = backlog.take(0); task !== null; task = backlog.take(1)) sizes.push(task.entries.length);
  expect(backlog.isEmpty).toBe(true);
  return sizes;
}

it.each([
  ['full runs', 100, 40, [40, 40, 20]],
  ['a short list is spread over the processes', 20, 400, [10, 10]],
  ['a proof a run, where a header costs nothing', 3, 1, [1, 1, 1]],
  ['nothing', 0, 40, []],
])('%s', (_, entries, entriesPerRun, sizes) => {
  expect(runsOf(entries, entriesPerRun)).toEqual(sizes);
});

it('waits until every run is full while more comes', () => {
  const backlog = openBacklog<never>({ entriesPerRun: 4, runsMax: 2, look: 'small' });
  for (let index = 0; index < 7; index += 1) backlog.add(entry(index));
  expect(backlog.take(0)).toBeNull();
  backlog.add(entry(7));
  expect(backlog.take(0)?.entries).toHaveLength(4);
});
