/**
 * Computes the linker symbol of a compiled Lean declaration, such as `l_Nat_add` for `Nat.add`, to test whether native
 * code for it exists.
 * Source: `Lean/Compiler/NameMangling.lean` of Lean 4.
 */
import type { NameComponent } from './name-hash.ts';

const SYMBOL_PREFIX = 'l_';

function mangledCharacter(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  if (character === '_') return '__';
  const code = character.codePointAt(0) as number;
  if (code < 0x100) return `_x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `_u${code.toString(16).padStart(4, '0')}`;
  return `_U${code.toString(16).padStart(8, '0')}`;
}

/** Matches text that, after a single `_`, could be read as a number or as an escaped character. */
const READS_AS_ESCAPE = /^_*(?:[0-9]|x[0-9a-f]{2}$|u[0-9a-f]{4}$|U[0-9a-f]{8}$)/;

/** Joins components with `_`, or with `_00` where `_` would be ambiguous. */
export function symbolName(components: readonly NameComponent[]): string {
  let mangled = '';
  let previous: NameComponent | undefined;
  for (const component of components) {
    const isNumber = typeof component === 'number';
    const text = isNumber ? `${component}_` : Array.from(component, mangledCharacter).join('');
    if (previous === undefined) {
      mangled = text;
    } else {
      const ambiguous =
        !isNumber && ((typeof previous === 'string' && previous.endsWith('_')) || READS_AS_ESCAPE.test(text));
      mangled += (ambiguous ? '_00' : '_') + text;
    }
    previous = component;
  }
  return SYMBOL_PREFIX + mangled;
}
