/** No name of a row decides about another row of its file. Real Lean; fifteen seconds of a core. */
import { expect, it } from 'vitest';
import { candidate, kindsOf, open, type Row } from '../../testing/opened-verifier.ts';

const MAPS = 'theorem Zork.maps (l : List Nat) : l.map id = l';

it.each<[string, Record<string, Row>, Record<string, string>]>([
  [
    'a namespace that a neighbour’s name makes',
    {
      'the name': ['', 'theorem Zork.List.t : True', '  trivial'],
      'opens it': ['', 'theorem u : True', '  open Zork in trivial'],
      'opens another one': ['', MAPS, '  open List in exact map_id l'],
    },
    { 'the name': 'proved', 'opens it': 'rejected', 'opens another one': 'proved' },
  ],
  [
    'a name that begins with a keyword',
    {
      'the name': ['section\nopen List', 'theorem at.t : True', '  trivial'],
      'behind it': ['section\nopen List', 'theorem k (l : List Nat) : l.map id = l', '  exact map_id l'],
    },
    { 'the name': 'proved', 'behind it': 'proved' },
  ],
  [
    'a namespace in which the header’s variables cannot be read',
    {
      first: ['variable (x : Bool) (h : or x x = x)', 'theorem k0 : 0 + 0 = 0', '  rfl'],
      'the name': ['variable (x : Bool) (h : or x x = x)', 'theorem Option.t : True', '  trivial'],
      last: ['variable (x : Bool) (h : or x x = x)', 'theorem k1 : 1 + 0 = 1', '  rfl'],
    },
    { first: 'proved', 'the name': 'header_error', last: 'proved' },
  ],
])('%s', async (_, rows, expected) => {
  const asked = Object.entries(rows).map(([id, [header, statement, proof]]) => ({
    ...candidate(id, proof, statement),
    header: `import Init\n${header}`,
  }));
  for (const order of [asked, asked.toReversed()]) {
    const verifier = await open({ processes: 1, batchSize: 100 });
    expect(kindsOf(await verifier.check(order))).toEqual(expected);
  }
});
