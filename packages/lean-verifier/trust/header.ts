/**
 * Headers: what stands above a statement in a file. Their parts, and the namespace in which definitions of a header stand.
 * Reads headers as `screenHeader` prints them.
 */

import { nameParts, tokenize } from '@stp/lean-text';
import { HEADER_COMMANDS } from './screen/forbidden.ts';

/** The header of a statement that has none of its own: the whole library, its names without their namespace. */
export const LIBRARY_HEADER = 'import Stp\n\nopen Stp\n';

/** What begins a file, as Lean's parser reads it: modifiers of the file, then imports, wherever line breaks and comments stand. */
export interface FileHeader {
  readonly isModule: boolean;
  readonly isPrelude: boolean;
  readonly imports: readonly ImportedModule[];
  /** Offset of the first UTF-16 unit behind the header. */
  readonly end: number;
}

export interface ImportedModule {
  /** With dots, without `«»`. */
  readonly name: string;
  /** `import Foo` with its modifiers, on one line. */
  readonly line: string;
  readonly start: number;
  readonly end: number;
}

/** Reads `module? prelude? (public? meta? import all? NAME)*`. What fits no further belongs to the text below. */
export function readHeader(text: string): FileHeader {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment');
  let at = 0;
  const take = (word: string): boolean => {
    const isThere = tokens[at]?.text === word;
    if (isThere) at += 1;
    return isThere;
  };
  const isModule = take('module');
  const isPrelude = take('prelude');
  const imports: ImportedModule[] = [];
  let end = at === 0 ? 0 : tokens[at - 1]!.end;
  for (let first = tokens[at]; first !== undefined; first = tokens[at]) {
    const words = ['public', 'meta', 'import', 'all'].filter(take);
    const name = tokens[at];
    if (!words.includes('import') || name?.kind !== 'word') break;
    at += 1;
    const dotted = nameParts(name.text).join('.');
    imports.push({ name: dotted, line: [...words, name.text].join(' '), start: first.start, end: name.end });
    end = name.end;
  }
  return { isModule, isPrelude, imports, end };
}

/** The modules that a text imports by itself, Lean's own included, with dots. */
export function importedNames({ isPrelude, imports }: FileHeader): Set<string> {
  return new Set([...(isPrelude ? [] : ['Init']), ...imports.map(({ name }) => name)]);
}

/** The imports of a text, `import Foo`, one a line, and the text without them. */
export function splitImports(text: string): { imports: string[]; rest: string } {
  const { imports } = readHeader(text);
  const rest = imports.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  return { imports: imports.map(({ line }) => line), rest: rest.trim() };
}

/**
 * The namespace of the definitions that a header brings along. It stays open for what stands below, so every name is
 * written as if there were no namespace, and no definition meets a constant of an import.
 */
export const GIVEN_NAMESPACE = 'Given';

/**
 * Lines above the first definition of a header. No variable is bound that a definition does not bind, and Lean's own bound of
 * heartbeats holds, which the header may have taken away.
 */
export const GIVEN_LINES: readonly string[] = [
  `namespace ${GIVEN_NAMESPACE}`,
  'set_option maxHeartbeats 200000',
  'set_option autoImplicit false',
  'set_option relaxedAutoImplicit false',
];

/** Does a printed header bring definitions along? */
export function hasDefinitions(header: string): boolean {
  return header.includes(`${GIVEN_LINES.join('\n')}\n`);
}

/** What ends the sections and namespaces that a printed header leaves open, innermost first: `end Foo`, one a line. */
export function closingLines(header: string): string[] {
  const words = tokenize(header).filter(({ kind }) => kind !== 'comment');
  const lines = words.flatMap(({ text }, index) => {
    if (text === 'namespace') return [`end ${words[index + 1]!.text}`];
    if (text !== 'section') return [];
    const name = words[index + 1];
    return name?.kind === 'word' && !HEADER_COMMANDS.has(name.text) ? [`end ${name.text}`] : ['end'];
  });
  return lines.reverse();
}
