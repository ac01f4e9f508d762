/** Holes of a snippet: every one that Lean warns of is listed, at its word where there is one. Costs about 10 s of CPU. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DRIVER_NAMES } from '../testing/drivers.ts';
import { check, type Served, serveLean } from '../testing/served.ts';

vi.setConfig({ testTimeout: 180_000 });

/** `¦` stands before each listed position. */
const SNIPPETS: readonly (readonly [string, string])[] = [
  [
    'one word and a search that found nothing',
    'theorem a : 1 = 2 := ¦sorry\ntheorem b : 3 = 4 := by exact (by ¦apply? : 3 = 4)',
  ],
  ['both in one declaration', 'theorem a : 1 = 2 ∧ 3 = 4 := ⟨by ¦sorry, by ¦apply?⟩'],
  ['on one line', 'theorem a : 1 = 2 := ¦sorry theorem b : 3 = 4 := by ¦apply?'],
  ['a search that closed its goal beside a hole', 'theorem a : 1 = 1 ∧ 3 = 4 := ⟨by apply?, ¦sorry⟩'],
  ['a search that closed its goal', 'theorem a : 1 = 1 := by apply?'],
  ['`exact?`', 'theorem x : 3 = 4 := ¦sorry\ntheorem a : 3 = 4 := by exact?'],
  ['`admit` and `stop`', 'theorem a : 1 = 2 := by ¦admit\ntheorem b : 1 = 2 := by\n  ¦stop\n  rfl'],
  ['an instance', 'instance : Inhabited Nat := ⟨¦sorry⟩\nprivate ¦instance : Inhabited Nat := ⟨sorryAx Nat false⟩'],
  [
    'an instance with an attribute',
    'theorem a : 1 = 2 := ¦sorry\n@[reducible] ¦instance : Inhabited Nat := ⟨sorryAx Nat false⟩',
  ],
  ['definitions', 'def a : Nat := ¦sorry\ndef ¦b : Nat := sorryAx Nat false\nopaque ¦c : Fin 0 := sorryAx _ false'],
  ['examples', '¦example : 1 = 2 := sorryAx _ false\nexample : 1 = 2 := ¦sorry\n¦example : 1 = 2 := sorryAx _ false'],
  ['a structure', 'structure S where\n  x : Nat := ¦sorry\ntheorem ¦a : 1 = 2 := sorryAx _ false'],
  ['a hole behind `#check`', 'theorem ¦a : 1 = 2 := sorryAx _ false\n#check (¦sorry : Nat)'],
  [
    'a word that closed nothing below a hole',
    'theorem ¦a : 1 = 2 := sorryAx _ false\ntheorem b : 1 = 1 := by first | rfl | ¦sorry',
  ],
  [
    'words that are names',
    'namespace N\ndef stop := 1\ntheorem ¦a : N.stop = 2 := sorryAx _ false\nend N\n#check `sorry',
  ],
  [
    'terms in a tactic',
    'theorem a : ∃ x : Nat, x = 5 := ⟨4, by rw [show 4 = 5 from ¦sorry]⟩\ntheorem b : 1 = 2 := by\n  all_goals ¦sorry',
  ],
  ['warnings switched off', 'set_option warn.sorry false\ntheorem a : 1 = 2 := ¦sorry'],
  ['letters of two units', 'theorem a𝔸 : 1 = 2 := ¦sorry  theorem ¦b𝔸 : 1 = 2 := sorryAx _ false'],
];

function marked(text: string): { code: string; positions: { line: number; column: number }[] } {
  const parts = text.split('¦');
  const positions = parts.slice(0, -1).map((_, index) => {
    const lines = parts
      .slice(0, index + 1)
      .join('')
      .split('\n');
    return { line: lines.length, column: [...lines.at(-1)!].length };
  });
  return { code: parts.join(''), positions };
}

describe.each(DRIVER_NAMES)('with the driver %s', (driver) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveLean({ driver, processes: 1 });
  });

  it.each(SNIPPETS)('%s', async (_, text) => {
    const { code, positions } = marked(text);
    const [result] = await check(served.server, [`set_option Elab.async false\n${code}`]);
    const found = (result?.response?.sorries ?? []).map(({ pos }) => ({ ...pos, line: pos.line - 1 }));
    expect({ found, messages: result?.response?.messages?.map(({ data }) => data.slice(0, 60)) }).toMatchObject({
      found: positions,
    });
  });
});
