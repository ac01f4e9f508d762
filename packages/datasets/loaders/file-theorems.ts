/**
 * Reads a Lean file's theorems as statements, each under the preceding text without other theorems. Splits commands;
 * does not parse Lean.
 */
import { maskSource, readCommands } from '@stp/lean-text';
import { theoremText } from './theorem-text.ts';

/** A theorem of a file. */
export interface FileTheorem {
  /** The name in the declaration. */
  readonly name: string;
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
  /** The text above the theorem, without comments: imports, opens, variables, definitions. */
  readonly header: string;
}

/** Commands that no later statement can depend on. */
const STATING: ReadonlySet<string> = new Set(['theorem', 'lemma', 'example']);

/** Returns the theorems in file order. A theorem without a recognisable end of its statement is dropped. */
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
