/** The header of a statement that has none of its own: the whole library, its names without their namespace. */
export const LIBRARY_HEADER = 'import Stp\n\nopen Stp\n';

const IMPORT_LINE = /^[ \t]*import[ \t].*$/gmu;

/** The lines of a text that import modules, `import Foo`, and the text without them. */
export function splitImports(text: string): { imports: string[]; rest: string } {
  const imports = (text.match(IMPORT_LINE) ?? []).map((line) => line.trim());
  return { imports, rest: text.replaceAll(IMPORT_LINE, '').trim() };
}
