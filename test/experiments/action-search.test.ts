/** The search with composed actions over made-up worlds: what it runs next, what it counts, what lies on the path. */
import { expect, it } from 'vitest';
import { type ActionWorld, type MetState, searchActions } from '../../tools/experiments/action-search.ts';

/** By state: its actions as [chance, price, where it leads]. `done` is a proof, `wrong` no state. */
type Edges = Record<string, readonly (readonly [chance: number, price: number, to: string])[]>;

function world(edges: Edges) {
  const ran: string[] = [];
  const made: ActionWorld<string> & { ran: string[] } = {
    ran,
    actions: ({ state }: MetState<string>) => (edges[state] ?? []).map(([chance, price]) => ({ chance, price })),
    async tryAll({ state }, places) {
      return places.map((place) => {
        const [, price, to] = edges[state]![place]!;
        ran.push(`${state}>${to}`);
        if (to === 'done' || to === 'wrong')
          return { outcome: { kind: to === 'done' ? ('done' as const) : ('invalid' as const) }, leanMs: price };
        return { outcome: { kind: 'open' as const, key: to, state: to }, leanMs: price };
      });
    },
  };
  return made;
}
const search = (made: ActionWorld<string>, leanMs = 1_000, together = 1, pathWeight = 0.5) =>
  searchActions({ key: 'a', state: 'a' }, made, { leanMs, together, pathWeight });

it('runs the best chance for its price first, and comes back to a state for its other actions', async () => {
  const made = world({
    a: [
      [0.1, 10, 'wrong'],
      [0.5, 10, 'b'],
      [0.5, 1, 'wrong'],
    ],
    b: [[0.001, 10, 'done']],
  });
  const { last } = await search(made);
  expect(made.ran).toEqual(['a>wrong', 'a>b', 'a>wrong', 'b>done']);
  expect(last).toMatchObject({ met: { state: 'b', depth: 1 }, action: 0 });
});

it('marks the tries on the way to the proof, and no others', async () => {
  const { tries, states } = await search(
    world({
      a: [
        [0.5, 1, 'b'],
        [0.4, 1, 'c'],
      ],
      b: [[0.5, 1, 'wrong']],
      c: [
        [0.3, 1, 'a'],
        [0.9, 1, 'done'],
      ],
    }),
    1_000,
    2,
  );
  const onPath = tries.filter(({ isOnPath }) => isOnPath).map(({ met, action }) => [met.state, action]);
  expect(onPath).toEqual([
    ['a', 1],
    ['c', 1],
  ]);
  expect(states).toBe(3);
});

it('ends at its limit of time, and where no action is left; equal states are one', async () => {
  const circle: Edges = {
    a: [[0.5, 10, 'b']],
    b: [
      [0.5, 10, 'a'],
      [0.4, 10, 'b'],
    ],
  };
  expect(await search(world(circle))).toMatchObject({ last: null, states: 2, leanMs: 30 });
  expect(await search(world(circle), 15)).toMatchObject({ last: null, leanMs: 20 });
  expect(await search(world(circle), 0)).toMatchObject({ tries: [], leanMs: 0 });
});

it('prefers states that likely actions led to, by the weight of the path', async () => {
  const edges: Edges = {
    a: [
      [0.9, 1, 'likely'],
      [0.01, 1, 'unlikely'],
    ],
    likely: [[0.4, 1, 'wrong']],
    unlikely: [[0.5, 1, 'wrong']],
  };
  const [weighed, unweighed] = [world(edges), world(edges)];
  await search(weighed, 1_000, 2, 1);
  await search(unweighed, 1_000, 2, 0);
  expect(weighed.ran.slice(2)).toEqual(['likely>wrong', 'unlikely>wrong']);
  expect(unweighed.ran.slice(2)).toEqual(['unlikely>wrong', 'likely>wrong']);
});
