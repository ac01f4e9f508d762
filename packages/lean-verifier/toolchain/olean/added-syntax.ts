/**
 * Syntax that 4.35 has parsers for and 4.28 does not declare: entries of the parser extension that a module of 4.28 gets
 * besides its own. A parser is named only where 4.28 has a constant of its name, since Lean asks for the constant's type;
 * what runs is the native code of 4.35.
 */
import { boxed, type ModuleImage } from './module-image.ts';
import { addName } from './names.ts';

interface AddedCategory {
  /** Path of the module that declares the category's parsers, below the library folder, with `/`. */
  readonly module: string;
  readonly category: string;
  /** Namespace of the parsers, and their names in it. */
  readonly namespace: readonly string[];
  readonly parsers: readonly string[];
}

/**
 * 4.28 lists the modifiers of `grind` (`=`, `←`, `cases`, …) in one parser, `grindMod`. 4.35 has a category of them, to which `grindMod`
 * only refers: an empty one accepts no modifier. Where two of them read the same text, the longest wins.
 */
const ADDED_CATEGORIES: readonly AddedCategory[] = [
  {
    module: 'Init/Grind/Attr.olean',
    category: 'grind_mod',
    namespace: ['Lean', 'Parser', 'Attr'],
    parsers: [
      'grindEq',
      'grindEqRhs',
      'grindEqBoth',
      'grindEqBwd',
      'grindBwd',
      'grindFwd',
      'grindRL',
      'grindLR',
      'grindDef',
      'grindUsr',
      'grindCases',
      'grindCasesEager',
      'grindIntro',
      'grindExt',
      'grindInj',
      'grindFunCC',
      'grindNorm',
      'grindUnfold',
      'grindSym',
      'grindGen',
    ],
  },
];

/** Constructors of `Lean.Parser.ParserExtension.OLeanEntry` and of `Lean.ScopedEnvExtension.Entry`. */
const ENTRY_CATEGORY = 2;
const ENTRY_PARSER = 3;
const SCOPE_GLOBAL = 0;
/** `Lean.Parser.LeadingIdentBehavior.both`: `cases` at the start is an identifier, and is looked up as a word too. */
const WORDS_AND_IDENTIFIERS = 2;
const DEFAULT_PRIORITY = 1000;

function globalEntry(image: ModuleImage, entry: number): number {
  return image.addConstructor(SCOPE_GLOBAL, [entry]);
}

function categoryEntry(image: ModuleImage, category: number): number {
  const entry = image.addConstructor(ENTRY_CATEGORY, [category, category], 1);
  image.bytes[image.scalarOffset(entry)] = WORDS_AND_IDENTIFIERS;
  return globalEntry(image, entry);
}

function parserEntry(image: ModuleImage, category: number, parser: number): number {
  return globalEntry(image, image.addConstructor(ENTRY_PARSER, [category, parser, boxed(DEFAULT_PRIORITY)]));
}

/** Entries of the parser extension that `module` gets, in the order they are to be read in. Mostly none. */
export function addedSyntax(image: ModuleImage, module: string): number[] {
  return ADDED_CATEGORIES.filter((added) => added.module === module).flatMap(({ category, namespace, parsers }) => {
    const name = addName(image, [category]);
    return [
      categoryEntry(image, name),
      ...parsers.map((parser) => parserEntry(image, name, addName(image, [...namespace, parser]))),
    ];
  });
}
