/** The theorems of a Lean file as statements: each below what stands above it, other theorems left out. Reads commands; does not parse Lean. */
import { maskSource, readCommands } from '@stp/lean-text';
import { theoremText } from './theorem-text.ts';

/** A theorem of a file. */
export interface FileTheorem {
  /** As its declaration has it. */
  readonly name: string;
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
  /** What stands above it, without comments: imports, opens, variables, definitions. */
  readonly header: string;
}

/** They state nothing that a later statement is about. */
const STATING: ReadonlySet<string> = new Set(['theorem', 'lemma', 'example']);

/** In the order of the file. A theorem whose statement ends nowhere is left out. */
export function theoremsInFile(text: string): FileTheorem[] {
  const masked = maskSource(text.replaceAll('\r\n', '\n'));
  const commands = readCommands(masked);
  const theorems: FileTheorem[] = [];
  let above = masked.withoutComments.slice(0, commands[0]?.begin);
  for (const [index, { keyword, begin }] of commands.entries()) {
    const whole = masked.withoutComments.slice(begin, commands[index + 1]?.begin);
    if (!STATING.has(keyword)) {
      above += whole;
      continue;
    }
    const theorem = theoremText(whole);
    if (theorem !== null && keyword !== 'example') theorems.push({ ...theorem, header: above.trim() });
  }
  return theorems;
}
