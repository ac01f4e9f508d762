/** How waiting work is cut into runs. No Lean. */
import { expect, it } from 'vitest';
import { DEFINITION_OPTIONS } from '../header.ts';
import { openBacklog } from './check-backlog.ts';

const HEADER = 'import Init';
const entry = (index: number, more: object = {}) =>
  ({ header: HEADER, signature: ` : ${index} = ${index}`, proofText: '  rfl', ...more }) as never;

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

/** Sizes of the runs in which these entries are checked, one run at a time. */
function runsWith(entries: readonly object[], sharesNamespaces: boolean): number[] {
  const backlog = openBacklog<never>({ entriesPerRun: 100, runsMax: 1, look: 'small', sharesNamespaces });
  for (const [index, more] of entries.entries()) backlog.add(entry(index, more));
  backlog.complete();
  const sizes: number[] = [];
  for (let task = backlog.take(0); task !== null; task = backlog.take(0)) sizes.push(task.entries.length);
  return sizes;
}

it('spreads all that waits over the processes, and splits no more lists than that needs', () => {
  const backlog = openBacklog<never>({ entriesPerRun: 100, runsMax: 2, look: 'small' });
  for (const [namespace, count] of Object.entries({ A: 7, B: 3 }))
    for (let index = 0; index < count; index += 1) backlog.add(entry(index, { namespace }));
  backlog.complete();
  expect([0, 1, 1].map((inFlight) => backlog.take(inFlight)?.entries.length)).toEqual([5, 2, 3]);
});

it('lets entries of several namespaces share a run only if the form allows it and they open none', () => {
  const named = ['', 'A', 'B'].map((namespace) => ({ namespace }));
  expect(runsWith(named, true)).toEqual([3]);
  expect(runsWith(named, false)).toEqual([1, 1, 1]);
  const opens = { namespace: 'B', proofText: '  open A in simp' };
  const marks = { namespace: 'B', proofText: '  open Grown.marked7 in\n  simp' };
  const reopens = { namespace: 'B', proofText: '  open Grown.marked7 in\n  open A in simp' };
  expect(runsWith([...named, marks], true)).toEqual([4]);
  for (const one of [opens, reopens, { ...opens, proofText: '', signature: ' : open A in True' }])
    expect(runsWith([...named, one], true)).toEqual([3, 1]);
  const defined = `${HEADER}\n${DEFINITION_OPTIONS.join('\n')}\nnotation "a" => 1`;
  expect(
    runsWith(
      named.map((one) => ({ ...one, header: defined })),
      true,
    ),
  ).toEqual([1, 1, 1]);
});
