/** Hashes and symbols of names, against values that Lean itself wrote. Costs nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModuleImage } from './module-image.ts';
import { hashName, hashString, type NameComponent } from './name-hash.ts';
import { addName, nameComponents, nameHash } from './names.ts';
import { RENAMES } from './renames.ts';
import { symbolName } from './symbol-name.ts';

/** Lean's own C code carries the hash of each name literal as bytes, least significant first. */
function fromLittleEndian(...bytes: number[]): bigint {
  return Buffer.from(bytes).readBigUInt64LE(0);
}

const component = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.nat({ max: 1_000_000 }));

describe('hashName', () => {
  it('equals the hashes in Lean’s compiled code', () => {
    expect(hashName(['tacticSimp_wf'])).toBe(fromLittleEndian(226, 142, 199, 78, 176, 208, 194, 249));
  });

  it('starts from the anonymous name', () => {
    expect(hashName([])).toBe(1723n);
  });

  it('tells a number from its digits', () => {
    expect(hashName(['a', 1])).not.toBe(hashName(['a', '1']));
  });

  it('stays within 64 bits for text of every length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const hash = hashString(text);
        expect(hash >= 0n && hash < 1n << 64n).toBe(true);
      }),
      { seed: 17 },
    );
  });
});

describe('names in a module', () => {
  it('are read as they were added, with their hash', () => {
    fc.assert(
      fc.property(fc.array(component, { minLength: 1, maxLength: 6 }), (components: NameComponent[]) => {
        const image = new ModuleImage(96, 0x600000000000);
        const name = addName(image, components);
        expect(nameComponents(image, name)).toEqual(components);
        expect(nameHash(image, name)).toBe(hashName(components));
      }),
      { seed: 18 },
    );
  });
});

describe('symbolName', () => {
  // Left: names; right: symbols that `nm -D libleanshared.so` lists for them.
  it.each<[readonly NameComponent[], string]>([
    [['Nat', 'add'], 'l_Nat_add'],
    [['Lean', 'Name', 'mkStr1'], 'l_Lean_Name_mkStr1'],
    [['tacticSimp_wf'], 'l_tacticSimp__wf'],
    [['Lean', 'Elab', 'WF', 'isWfParam?'], 'l_Lean_Elab_WF_isWfParam_x3f'],
    [
      ['_private', 'Lean', 'Elab', 'PreDefinition', 'WF', 'Preprocess', 0, 'Lean', 'Elab', 'WF', 'getSimpContext'],
      'l___private_Lean_Elab_PreDefinition_WF_Preprocess_0__Lean_Elab_WF_getSimpContext',
    ],
    [['Lean', 'Elab', 'WF', 'preprocess', '_lam_0'], 'l_Lean_Elab_WF_preprocess___lam__0'],
    [
      ['_aux_Init_WFTactics___macroRules_tacticDecreasing_with__1'],
      'l___aux__Init__WFTactics______macroRules__tacticDecreasing__with____1',
    ],
  ])('%j is %s', (components, symbol) => {
    expect(symbolName(components)).toBe(symbol);
  });

  it('marks what could be read in a second way', () => {
    expect(symbolName(['a_', 'b'])).toBe('l_a___00b');
    expect(symbolName(['a', '1b'])).toBe('l_a_001b');
    expect(symbolName(['a', 'x41'])).toBe('l_a_00x41');
    expect(symbolName(['a', 'x4'])).toBe('l_a_x4');
    expect(symbolName(['α'])).toBe('l__u03b1');
    expect(symbolName(['𝔸'])).toBe('l__U0001d538');
  });

  it('gives different names different symbols', () => {
    fc.assert(
      fc.property(
        fc.array(component, { minLength: 1, maxLength: 4 }),
        fc.array(component, { minLength: 1, maxLength: 4 }),
        (left, right) => {
          fc.pre(JSON.stringify(left) !== JSON.stringify(right));
          expect(symbolName(left)).not.toBe(symbolName(right));
        },
      ),
      { numRuns: 2_000, seed: 19 },
    );
  });
});

describe('RENAMES', () => {
  it('takes no name twice and leaves none as it is', () => {
    const from = RENAMES.map((rename) => hashName(rename.from));
    expect(new Set(from).size).toBe(RENAMES.length);
    for (const rename of RENAMES) expect(hashName(rename.to)).not.toBe(hashName(rename.from));
  });
});
