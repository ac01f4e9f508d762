/** The conversion, byte for byte against what an independent converter made of the same modules. Costs 1 s. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { StpError } from '@stp/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedSyntax } from './added-syntax.ts';
import { convertModule, FIRST_BASE, nextBase } from './convert.ts';
import type { ModuleImage } from './module-image.ts';
import { hashComponent } from './name-hash.ts';
import { isStringName, lastComponent, nameComponents, nameHash, namePrefix } from './names.ts';
import { moduleHeader } from './object-format.ts';
import { renameNames } from './renames.ts';
import { widenModule } from './widen.ts';

const FOLDER = join(import.meta.dirname, '../../testing/fixtures/modules');

interface Golden {
  readonly file: string;
  readonly module: string;
  readonly bytes: number;
  readonly sha256: string;
}

const goldens = JSON.parse(readFileSync(join(FOLDER, 'golden.json'), 'utf8')) as Golden[];
const nativeCode = new Set(readFileSync(join(FOLDER, 'native-symbols.txt'), 'utf8').split('\n'));

function source({ file }: Golden): Buffer {
  return gunzipSync(readFileSync(join(FOLDER, file)));
}

function goldenOf(module: string): Golden {
  const golden = goldens.find((candidate) => candidate.module === module);
  if (golden === undefined) throw new Error(`no fixture ${module}`);
  return golden;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Names that really are names: their hash is that of their prefix mixed with their last component. */
function namesOf(image: ModuleImage): string[] {
  return image.possibleNames
    .filter((name) => isTrueName(image, name))
    .map((name) => nameComponents(image, name).join('.'));
}

function isTrueName(image: ModuleImage, name: number): boolean {
  const prefix = namePrefix(image, name);
  const component = lastComponent(image, name);
  if (!isStringName(image, name) || component === undefined || !isStringName(image, prefix)) return false;
  return hashComponent(nameHash(image, prefix), component) === nameHash(image, name);
}

describe('convertModule', () => {
  it.each(goldens)('makes the golden bytes of $module', (golden) => {
    const converted = convertModule(source(golden), golden.module, FIRST_BASE, nativeCode);
    expect(converted.length).toBe(golden.bytes);
    expect(sha256(converted)).toBe(golden.sha256);
  });

  it('depends on the native code there is', () => {
    const golden = goldenOf('Init/Data/Format/Macro.olean');
    const without = convertModule(source(golden), golden.module, FIRST_BASE, new Set());
    expect(sha256(without)).not.toBe(golden.sha256);
  });

  it('moves every pointer with the base', () => {
    const golden = goldenOf('Init/Data/Nat/Log2.olean');
    const low = convertModule(source(golden), golden.module, FIRST_BASE, nativeCode);
    const high = convertModule(source(golden), golden.module, nextBase(FIRST_BASE, low.length), nativeCode);
    const moved = nextBase(FIRST_BASE, low.length) - FIRST_BASE;
    expect(high.length).toBe(low.length);
    const words = (bytes: Uint8Array) => new BigUint64Array(bytes.slice().buffer);
    const lowWords = words(low);
    const differences = words(high).map((word, index) => word - lowWords[index]!);
    expect(new Set(differences)).toEqual(new Set([0n, BigInt(moved)]));
  });

  it('renames names and what lies below them, with their hashes', () => {
    const golden = goldenOf('Lean/Meta/Tactic/Grind/Arith/Cutsat/Norm.olean');
    const image = widenModule(source(golden), golden.module, moduleHeader('4.35.0', ''), FIRST_BASE);
    const before = namesOf(image);
    renameNames(image);
    const after = namesOf(image);
    const changes = before.flatMap((name, index) => (after[index] === name ? [] : [`${name} → ${after[index]}`]));
    expect(changes).toEqual([
      'Int.Linear → Int.Internal.Linear',
      'Int.Linear.Expr → Int.Internal.Linear.Expr',
      'Lean.namespacesExt → _private.Lean.Namespace.0.Lean.namespacesExt',
      '_private.Lean.AddDecl.0.Lean.privateConstKindsExt → _private.Lean.OriginalConstKind.0.Lean.privateConstKindsExt',
    ]);
  });

  it('adds the category of the modifiers of grind, and its parsers, to the module that declares them, and to no other', () => {
    const golden = goldenOf('Init/Data/Nat/Log2.olean');
    const image = widenModule(source(golden), golden.module, moduleHeader('4.35.0', ''), FIRST_BASE);
    expect(addedSyntax(image, golden.module)).toEqual([]);
    const [category = 0, ...parsers] = addedSyntax(image, 'Init/Grind/Attr.olean').map((entry) =>
      image.field(entry, 0),
    );
    const name = (entry: number, field: number) => nameComponents(image, image.field(entry, field)).join('.');
    expect([image.tag(category), name(category, 0), image.bytes[image.scalarOffset(category)]]).toEqual([
      2,
      'grind_mod',
      2,
    ]);
    expect(new Set(parsers.map((parser) => `${image.tag(parser)} ${name(parser, 0)}`))).toEqual(
      new Set(['3 grind_mod']),
    );
    expect(parsers.map((parser) => name(parser, 1))).toContain('Lean.Parser.Attr.grindEqRhs');
  });

  it('refuses a module that is cut short, wherever it is cut', () => {
    const golden = goldenOf('Init/Data/Nat/Log2.olean');
    const whole = source(golden);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        const cut = () => convertModule(whole.subarray(0, length), golden.module, FIRST_BASE, nativeCode);
        expect(cut).toThrow(StpError);
        expect(cut).toThrow(expect.objectContaining({ code: 'STP1204' }));
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('refuses what is no module', () => {
    const convert = () => convertModule(Buffer.alloc(4096), 'Zero.olean', FIRST_BASE, nativeCode);
    expect(convert).toThrow(/Zero\.olean is damaged/);
  });
});

describe('nextBase', () => {
  it('leaves a page between modules and stays on page boundaries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (bytes) => {
        const base = nextBase(FIRST_BASE, bytes);
        expect(base % 0x10000).toBe(0);
        expect(base - (FIRST_BASE + bytes)).toBeGreaterThanOrEqual(0x10000);
        expect(base - (FIRST_BASE + bytes)).toBeLessThan(0x20000);
      }),
      { seed: 8 },
    );
  });
});
