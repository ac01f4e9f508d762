/**
 * The entries that each environment extension exports in a module. Uses the layout of Lean's `ModuleData` (fields:
 * imports, constant names, constants, extra constant names, extension entries; one scalar: whether the file uses the
 * module system).
 */
import type { ModuleImage } from './module-image.ts';
import { nameComponents } from './names.ts';

const EXTENSION_ENTRIES_FIELD = 4;

/** The exported entries of one environment extension. */
export interface ExtensionList {
  /** Full name with dots, such as `Lean.classExtension`. */
  readonly name: string;
  /** Present address of the array, which other extensions may share. */
  array(): number;
  /** Words of the entries: addresses, or boxed values. */
  entries(): number[];
  replace(entries: readonly number[]): void;
  clear(): void;
}

export function extensionLists(image: ModuleImage): ExtensionList[] {
  return image.array(image.field(image.root, EXTENSION_ENTRIES_FIELD)).map((pair) => ({
    name: nameComponents(image, image.field(pair, 0)).join('.'),
    array: () => image.field(pair, 1),
    entries: () => image.array(image.field(pair, 1)),
    replace: (entries) => image.setField(pair, 1, image.addArray(entries)),
    clear: () => image.setField(pair, 1, image.emptyArray()),
  }));
}

/** Marks the module as one outside the module system, so that Lean expects all its parts in this file. */
export function leaveModuleSystem(image: ModuleImage): void {
  image.bytes[image.scalarOffset(image.root)] = 0;
}
