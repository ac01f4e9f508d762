/**
 * Adds syntax for which 4.35 has parsers and which 4.28 does not declare, as additional entries of a 4.28 module's
 * parser extension. A parser is named only if 4.28 has a constant of its name, because Lean looks up the constant's
 * type. The code that runs is 4.35's native code.
 */
import { boxed, type ModuleImage } from './module-image.ts';
import { addName } from './names.ts';

interface AddedCategory {
  /** Path of the module that declares the category's parsers, relative to the library folder, with `/`. */
  readonly module: string;
  readonly category: string;
  /** Namespace of the parsers; `parsers` has their names in it. */
  readonly namespace: readonly string[];
  readonly parsers: readonly string[];
}

/**
 * 4.28 lists the modifiers of `grind` (`=`, `←`, `cases`, …) in one parser, `grindMod`. In 4.35 they form a category,
 * to which `grindMod` only refers; an empty category accepts no modifier. If two modifiers match the same text, the
 * longest wins.
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
/** `Lean.Parser.LeadingIdentBehavior.both`: a leading `cases` is an identifier, and is also looked up as a keyword. */
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

/** Returns the entries to add to the parser extension of `module`, in reading order. Empty for most modules. */
export function addedSyntax(image: ModuleImage, module: string): number[] {
  return ADDED_CATEGORIES.filter((added) => added.module === module).flatMap(({ category, namespace, parsers }) => {
    const name = addName(image, [category]);
    return [
      categoryEntry(image, name),
      ...parsers.map((parser) => parserEntry(image, name, addName(image, [...namespace, parser]))),
    ];
  });
}
