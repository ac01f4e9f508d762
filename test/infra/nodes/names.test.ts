/** Names of machines: each one identifies its run, for any name of a run, and identifies an open run from anywhere. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayBeLabelOf, nodeName, runLabel, runLabelOf } from '../../../infra/nodes/names.ts';
import { localRunName } from '../../../workers/settings.ts';

const RUN_NAME = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const STORE = fc.constantFrom('gs://bucket/runs', 'file:///home/somebody/runs', 'gs://another');

it('tell the label of their run, also with what slices and groups append', () => {
  fc.assert(
    fc.property(RUN_NAME, STORE, fc.integer({ min: 1, max: 99 }), (run, store, generation) => {
      const name = localRunName(store, run);
      const node = nodeName({ run: name, generation });
      for (const appended of ['', '-0', '-12', '-x4zq']) expect(runLabelOf(node + appended)).toBe(runLabel(name));
    }),
    { seed: 1 },
  );
});

it('tell it where a run is called after a machine', () => {
  const name = localRunName('gs://bucket/runs', 'foo-deadbeef-g1-bar');
  expect(runLabelOf(`${runLabel(name)}-g2-0`)).toBe(runLabel(name));
});

it('are known as those of a run without its store', () => {
  fc.assert(
    fc.property(RUN_NAME, STORE, (run, store) => {
      expect(mayBeLabelOf(runLabel(localRunName(store, run)), run)).toBe(true);
    }),
    { seed: 2 },
  );
  const label = runLabel(localRunName('gs://bucket/runs', 'first'));
  for (const other of ['second', 'firs', 'first-2', 'first2']) expect(mayBeLabelOf(label, other)).toBe(false);
});
