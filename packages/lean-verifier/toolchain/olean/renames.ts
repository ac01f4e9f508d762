/**
 * Names of the 4.28 library that 4.35's native code knows by another name, and a function that renames them in a
 * module. Renaming a prefix changes every name below it: hashes are recomputed, and lists that are sorted by hash for
 * binary search are sorted again.
 */

import { extensionLists } from './module-data.ts';
import { isBoxed, type ModuleImage } from './module-image.ts';
import { hashComponent, hashName, type NameComponent } from './name-hash.ts';
import { addName, isStringName, lastComponent, nameHash, namePrefix, setNameHash } from './names.ts';
import { TAG } from './object-format.ts';

export interface Rename {
  readonly from: readonly NameComponent[];
  readonly to: readonly NameComponent[];
}

const TACTIC = ['Lean', 'Parser', 'Tactic'];
const CONV = [...TACTIC, 'Conv'];
const GRIND = [...TACTIC, 'Grind'];

/**
 * Found by comparing the names of parsers, macros and extensions in 4.28's library with those that 4.35's library has
 * code for. The last component may contain dots; it is still one component.
 */
export const RENAMES: readonly Rename[] = [
  // Its arguments changed. `additions/Core.lean` defines the new one in terms of the old.
  { from: ['noConfusionEnum'], to: ['noConfusionEnum28'] },
  // 4.35 reads their values field by field and expects fields that 4.28 lacks. `additions/Simp.lean` defines new ones.
  { from: ['Lean', 'Meta', 'Simp', 'Config'], to: ['Lean', 'Meta', 'Simp', 'Config28'] },
  { from: ['Lean', 'Meta', 'Simp', 'ConfigCtx'], to: ['Lean', 'Meta', 'Simp', 'ConfigCtx28'] },
  { from: ['Lean', 'Meta', 'Simp', 'NormCastConfig'], to: ['Lean', 'Meta', 'Simp', 'NormCastConfig28'] },
  { from: ['Lean', 'Meta', 'DSimp', 'Config'], to: ['Lean', 'Meta', 'DSimp', 'Config28'] },
  { from: ['Lean', 'namespacesExt'], to: ['_private', 'Lean', 'Namespace', 0, 'Lean', 'namespacesExt'] },
  {
    from: ['_private', 'Lean', 'AddDecl', 0, 'Lean', 'privateConstKindsExt'],
    to: ['_private', 'Lean', 'OriginalConstKind', 0, 'Lean', 'privateConstKindsExt'],
  },
  { from: ['Int', 'Linear'], to: ['Int', 'Internal', 'Linear'] },
  { from: ['Nat', 'Linear'], to: ['Nat', 'Internal', 'Linear'] },
  { from: ['Lean', 'command__Unif_hint____Where_|_-⊢_'], to: ['Lean', 'command__Unif_hint____Where_|_-⊢__'] },
  {
    from: ['Lean', '_aux_Init_NotationExtra___macroRules_Lean_command__Unif_hint____Where_|_-⊢__1'],
    to: ['Lean', '_aux_Init_NotationExtra___macroRules_Lean_command__Unif_hint____Where_|_-⊢___1'],
  },
  { from: [...TACTIC, 'tacticRwa__'], to: [...TACTIC, 'rwaAtLegacyLocation'] },
  {
    from: [...TACTIC, '_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRwa___1'],
    to: [...TACTIC, '_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_rwaAtLegacyLocation_1'],
  },
  // `rwa` became two parsers. They take over the entries of two parsers that 4.35 no longer has.
  { from: [...TACTIC, 'changeWith'], to: [...TACTIC, 'rwa'] },
  { from: [...TACTIC, 'bvTraceMacro'], to: [...TACTIC, 'rwaAt'] },
  { from: [...CONV, 'conv·._'], to: [...CONV, 'conv·_'] },
  {
    from: [...CONV, '_aux_Init_Conv___macroRules_Lean_Parser_Tactic_Conv_conv·.__1'],
    to: [...CONV, '_aux_Init_Conv___macroRules_Lean_Parser_Tactic_Conv_conv·__1'],
  },
  { from: [...GRIND, 'grind·._'], to: [...GRIND, 'grind·_'] },
  {
    from: [...GRIND, '_aux_Init_Grind_Interactive___macroRules_Lean_Parser_Tactic_Grind_grind·.__1'],
    to: [...GRIND, '_aux_Init_Grind_Interactive___macroRules_Lean_Parser_Tactic_Grind_grind·__1'],
  },
];

const RENAME_OF_HASH: ReadonlyMap<bigint, Rename> = new Map(RENAMES.map((rename) => [hashName(rename.from), rename]));
/** Upper halves of the hashes. They rule out nearly every name without creating a BigInt. */
const UPPER_HALVES: ReadonlySet<number> = new Set([...RENAME_OF_HASH.keys()].map((hash) => Number(hash >> 32n)));

/** Former hashes of renamed names, by address. */
type FormerHashes = Map<number, bigint>;

function renameAt(image: ModuleImage, name: number): Rename | undefined {
  const upperHalf = image.view.getUint32(image.scalarOffset(name) + 4, true);
  return UPPER_HALVES.has(upperHalf) ? RENAME_OF_HASH.get(nameHash(image, name)) : undefined;
}

function applyRename(image: ModuleImage, name: number, rename: Rename): void {
  const prefix = addName(image, rename.to.slice(0, -1));
  const last = image.addString(rename.to.at(-1) as string);
  image.setField(name, 0, prefix);
  image.setField(name, 1, last);
  setNameHash(image, name, hashName(rename.to));
}

/**
 * Recomputes the hash of a name whose prefix was renamed. An object that only has the layout of a name has a different
 * hash.
 */
function rehash(image: ModuleImage, name: number, former: FormerHashes): void {
  const prefix = namePrefix(image, name);
  const formerPrefixHash = former.get(prefix);
  if (formerPrefixHash === undefined) return;
  const component = lastComponent(image, name);
  if (component === undefined) return;
  const hash = nameHash(image, name);
  if (hashComponent(formerPrefixHash, component) !== hash) return;
  former.set(name, hash);
  setNameHash(image, name, hashComponent(nameHash(image, prefix), component));
}

function renameAll(image: ModuleImage): FormerHashes {
  const former: FormerHashes = new Map();
  for (const name of image.possibleNames) {
    const rename = renameAt(image, name);
    if (rename !== undefined) {
      former.set(name, nameHash(image, name));
      applyRename(image, name, rename);
    } else if (former.size > 0) {
      rehash(image, name, former);
    }
  }
  return former;
}

/** Returns the name by which an extension entry is sorted: the entry itself, or its first field. */
function entryName(image: ModuleImage, entry: number): number | undefined {
  if (isBoxed(entry)) return undefined;
  if (isStringName(image, entry)) return entry;
  if (image.tag(entry) > TAG.constructorMax || image.fieldCount(entry) === 0) return undefined;
  const first = image.field(entry, 0);
  return isStringName(image, first) ? first : undefined;
}

/** Returns the entries sorted by their new hashes, or undefined if they were not sorted by their former hashes. */
function sortedAgain(image: ModuleImage, entries: readonly number[], former: FormerHashes): number[] | undefined {
  if (entries.length < 2) return undefined;
  const keyed: { entry: number; hash: bigint }[] = [];
  let last = 0n;
  for (const entry of entries) {
    const name = entryName(image, entry);
    if (name === undefined) return undefined;
    const hash = nameHash(image, name);
    const formerHash = former.get(name) ?? hash;
    if (formerHash <= last) return undefined;
    last = formerHash;
    keyed.push({ entry, hash });
  }
  return keyed.sort(byHash).map(({ entry }) => entry);
}

export function byHash(left: { readonly hash: bigint }, right: { readonly hash: bigint }): number {
  return left.hash < right.hash ? -1 : left.hash > right.hash ? 1 : 0;
}

/** Renames the names in a widened module. */
export function renameNames(image: ModuleImage): void {
  const former = renameAll(image);
  if (former.size === 0) return;
  for (const list of extensionLists(image)) {
    const sorted = sortedAgain(image, list.entries(), former);
    // Always make a new array, because extensions may share the old one.
    if (sorted !== undefined) list.replace(sorted);
  }
}
