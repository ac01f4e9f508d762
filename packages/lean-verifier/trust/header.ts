/**
 * Headers: what stands above a statement in a file. Their parts, and the options under which definitions of a header stand.
 * Reads headers as `screenHeader` prints them.
 */

import { type FileHeader, readHeader, tokenize } from '@stp/lean-text';
import { HEADER_COMMANDS } from './screen/forbidden.ts';

/** The header of a statement that has none of its own: the whole library, its names without their namespace. */
export const LIBRARY_HEADER = 'import Stp\n\nopen Stp\n';

/** The modules that a text imports by itself, Lean's own included, with dots. */
export function importedNames({ isPrelude, imports }: FileHeader): Set<string> {
  return new Set([...(isPrelude ? [] : ['Init']), ...imports.map(({ name }) => name)]);
}

/** Splits a text: the lines that begin it, `prelude`, `import Foo`, and the text without these. */
export function splitImports(text: string): { imports: string[]; rest: string } {
  const plain = text.replaceAll('\r\n', '\n');
  const { commands } = readHeader(plain);
  const rest = commands.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), plain);
  return { imports: commands.map((command) => command.text), rest: rest.trim() };
}

/**
 * Lines above the first definition of a header. No variable is bound that a definition does not bind, and Lean's own bound of
 * heartbeats holds, which the header may have taken away.
 */
export const DEFINITION_OPTIONS: readonly string[] = [
  'set_option maxHeartbeats 200000',
  'set_option autoImplicit false',
  'set_option relaxedAutoImplicit false',
];

/** Does a printed header bring definitions along? */
export function hasDefinitions(header: string): boolean {
  return header.includes(`${DEFINITION_OPTIONS.join('\n')}\n`);
}

/**
 * Returns the lines that end the sections and namespaces that a printed header leaves open, innermost first: `end Foo`, one a
 * line.
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
