/**
 * Headers: the text above a statement in a file. Splits them, and defines the options under which a header's
 * definitions are elaborated. Reads headers in the form that `screenHeader` prints.
 */

import { type FileHeader, readHeader, tokenize } from '@stp/lean-text';
import { HEADER_COMMANDS } from './screen/forbidden.ts';

/** The header of a statement without its own: imports the whole library and opens its namespace. */
export const LIBRARY_HEADER = 'import Stp\n\nopen Stp\n';

/** Returns the names of the modules that a text imports, including Lean's implicit import, with dots. */
export function importedNames({ isPrelude, imports }: FileHeader): Set<string> {
  return new Set([...(isPrelude ? [] : ['Init']), ...imports.map(({ name }) => name)]);
}

/** Splits a text into its initial lines (`prelude`, `import Foo`) and the rest. */
export function splitImports(text: string): { imports: string[]; rest: string } {
  const plain = text.replaceAll('\r\n', '\n');
  const { commands } = readHeader(plain);
  const rest = commands.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), plain);
  return { imports: commands.map((command) => command.text), rest: rest.trim() };
}

/**
 * Lines above the first definition of a header. They disable automatic binding of variables, and restore Lean's default
 * limit of heartbeats, which the header may have removed.
 */
export const DEFINITION_OPTIONS: readonly string[] = [
  'set_option maxHeartbeats 200000',
  'set_option autoImplicit false',
  'set_option relaxedAutoImplicit false',
];

/** Whether a printed header contains definitions. */
export function hasDefinitions(header: string): boolean {
  return header.includes(`${DEFINITION_OPTIONS.join('\n')}\n`);
}

/**
 * Returns the lines that close the sections and namespaces that a printed header leaves open, innermost first, such as
 * `end Foo`.
 */
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
