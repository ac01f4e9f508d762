/**
 * Adapts or drops extension entries of a 4.28 module that 4.35 lays out or interprets differently. The entries of all
 * other extensions have the same format in both versions.
 *
 * The main rule: code of 4.28 must never run on data of 4.35, because it would corrupt memory. So compiled code is
 * dropped if 4.35 has no native code of that name, together with the parsers, macros, elaborators and unexpanders that
 * would call it.
 */

import { addedSyntax } from './added-syntax.ts';
import { type ExtensionList, extensionLists, leaveModuleSystem } from './module-data.ts';
import { boxed, isBoxed, type ModuleImage } from './module-image.ts';
import { nameComponents, nameHash } from './names.ts';
import { byHash, renameNames } from './renames.ts';
import { symbolName } from './symbol-name.ts';

/** The query on the native library that the adaptations need. */
export interface NativeCode {
  has(symbol: string): boolean;
}

/**
 * Extensions to drop: data of the compiler, which nothing in use reads and which 4.35 lays out differently, and a list
 * of extra imports for tools that minimise imports.
 */
const DROPPED_EXTENSIONS: ReadonlySet<string> = new Set([
  'Lean.Compiler.LCNF.Specialize.specCacheExt',
  'Lean.Compiler.LCNF.UnreachableBranches.functionSummariesExt',
  'Lean.Compiler.LCNF.specExtension',
  'Lean.Compiler.LCNF.baseExt',
  'Lean.Compiler.LCNF.monoExt',
  'Lean.extraModUses',
  'specMap',
]);

/** Attributes whose entries are pairs (syntax kind or constant, name of the code to run). */
const KEYED_CODE_EXTENSIONS: ReadonlySet<string> = new Set([
  'Lean.PrettyPrinter.Delaborator.appUnexpanderAttribute',
  'Lean.Elab.macroAttribute',
  'Lean.Elab.Tactic.tacticElabAttribute',
  'Lean.Elab.Command.commandElabAttribute',
]);

/** Notations of 4.28 whose text 4.35's `≤` and `≥` also accept. With both, `a <= b` would be ambiguous. */
const SUPERSEDED_NOTATIONS: ReadonlySet<string> = new Set(['term_<=_', 'term_>=_']);

/** Constructors of `Lean.Parser.ParserExtension.OLeanEntry` and of `Lean.ScopedEnvExtension.Entry`. */
const ENTRY_PARSER = 3;
const SCOPE_GLOBAL = 0;
/** `Lean.ReducibilityStatus.instanceReducible`, which 4.28 lacks: it unfolds registered instances without a status. */
const INSTANCE_REDUCIBLE = 4;

interface Context {
  readonly image: ModuleImage;
  readonly nativeCode: NativeCode;
  /** Path relative to the library folder, with `/`. */
  readonly module: string;
  readonly lists: readonly ExtensionList[];
}

function isNative({ image, nativeCode }: Context, name: number): boolean {
  return nativeCode.has(symbolName(nameComponents(image, name)));
}

/** Returns the entry within a scoped entry: `global entry` or `scoped namespace entry`. */
function unscoped(image: ModuleImage, entry: number): number {
  return image.field(entry, image.tag(entry) === SCOPE_GLOBAL ? 0 : 1);
}

function keepOnly(list: ExtensionList, keep: (entry: number) => boolean): void {
  const entries = list.entries();
  const kept = entries.filter(keep);
  if (kept.length !== entries.length) list.replace(kept);
}

/** Adapts compiled code, whose entries are (name, parameters, type, body). */
function adaptCode(context: Context, list: ExtensionList): void {
  keepOnly(list, (entry) => isNative(context, context.image.field(entry, 0)));
}

function adaptKeyedCode(context: Context, list: ExtensionList): void {
  const { image } = context;
  keepOnly(list, (entry) => isNative(context, image.field(unscoped(image, entry), 1)));
}

function adaptParsers(context: Context, list: ExtensionList): void {
  const { image, module } = context;
  const entries = list.entries();
  const kept = entries.filter((scopedEntry) => {
    const entry = unscoped(image, scopedEntry);
    if (isBoxed(entry) || image.tag(entry) !== ENTRY_PARSER) return true;
    const parser = image.field(entry, 1);
    return isNative(context, parser) && !SUPERSEDED_NOTATIONS.has(nameComponents(image, parser).join('.'));
  });
  const added = addedSyntax(image, module);
  if (added.length > 0 || kept.length !== entries.length) list.replace([...added, ...kept]);
}

/**
 * Adapts reducibility statuses, which are sorted by the hash of the name. Instances of the module without a status
 * become instance-reducible.
 */
function adaptReducibility({ image, lists }: Context, list: ExtensionList): void {
  const entries = list.entries();
  const text = (name: number) => nameComponents(image, name).join('.');
  const known = new Set(entries.map((entry) => text(image.field(entry, 0))));
  for (const instances of lists.filter(({ name }) => name === 'Lean.Meta.globalInstanceExtension')) {
    for (const instance of instances.entries()) {
      const name = unscoped(image, instance);
      if (known.has(text(name))) continue;
      known.add(text(name));
      entries.push(image.addConstructor(0, [name, boxed(INSTANCE_REDUCIBLE)]));
    }
  }
  const keyed = entries.map((entry) => ({ entry, hash: nameHash(image, image.field(entry, 0)) }));
  list.replace(keyed.sort(byHash).map(({ entry }) => entry));
}

/** Adapts classes: (name, output parameters) has a third field in 4.35, output universe levels, which is empty here. */
function adaptClasses({ image }: Context, list: ExtensionList): void {
  for (const [index, entry] of list.entries().entries()) {
    if (image.fieldCount(entry) !== 2) continue;
    const noLevels = image.emptyArray();
    const fields = [image.field(entry, 0), image.field(entry, 1), noLevels];
    image.setElement(list.array(), index, image.addConstructor(0, fields));
  }
}

const ADAPTATIONS: Readonly<Record<string, (context: Context, list: ExtensionList) => void>> = {
  'Lean.IR.declMapExt': adaptCode,
  'Lean.Parser.parserExtension': adaptParsers,
  reducibilityCore: adaptReducibility,
  'Lean.classExtension': adaptClasses,
};

/** Adapts a widened module of the 4.28 library for 4.35. */
export function adaptModule(image: ModuleImage, module: string, nativeCode: NativeCode): void {
  renameNames(image);
  const lists = extensionLists(image);
  const context: Context = { image, nativeCode, module, lists };
  for (const list of lists) {
    if (DROPPED_EXTENSIONS.has(list.name)) list.clear();
    else if (KEYED_CODE_EXTENSIONS.has(list.name)) adaptKeyedCode(context, list);
    else ADAPTATIONS[list.name]?.(context, list);
  }
  leaveModuleSystem(image);
}
