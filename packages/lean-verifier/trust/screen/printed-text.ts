/**
 * A second check of text that was printed from tokens. It does not use tokens, but tests conditions on the characters:
 * no comment, only plain literals, no quotation, no attribute, and only allowed options. It finds errors of the
 * tokenizer, and pairs of tokens that join to a third.
 */

import type { Finding } from './finding.ts';
import { OPTIONS_MAX } from './forbidden.ts';
import { PRINTED_CHARACTER, PRINTED_STRING } from './literals.ts';

const ALLOWED = /^[ \n\p{L}\p{N}\p{S}\p{P}]$/u;
/** Matches a quote that is not part of a name or of one of the few tokens with a quote. */
const LONE_QUOTE = /(?<![\p{L}\p{N}_!?'\]¹∑∏])'(?!')/u;

const NOWHERE: readonly (readonly [RegExp, string])[] = [
  [/--|\/-|-\//, 'holds a comment sign'],
  [/[«»`]/u, 'holds a quotation mark of names or quotations'],
  [/"/, 'holds a string that is not plain'],
  [LONE_QUOTE, 'holds a quote that belongs to nothing'],
  [/@\[/, 'holds an attribute'],
  [/#(?!v\[)[A-Za-z_]/, 'holds a command'],
  [/ $/m, 'ends a line with a blank'],
  [/skipKernelTC/, 'names the option that switches the kernel off'],
];

/** Matches allowed options with values of the right form. */
export const PROOF_OPTIONS = new RegExp(
  `^set_option\\s+(?:${[...OPTIONS_MAX.keys()].map((name) => name.replaceAll('.', '\\.')).join('|')})\\s+[1-9][0-9]*(?![\\w.])`,
  'u',
);
export const NO_OPTIONS = /(?!)/;

/**
 * Finds the first position at which the text is not as printed text must be, or returns null. `options` matches at each
 * allowed `set_option`.
 */
export function findUnprinted(printed: string, options: RegExp): Finding | null {
  let offset = 0;
  for (const character of printed) {
    if (!ALLOWED.test(character)) return { offset, reason: 'holds a character that is not for proofs' };
    offset += character.length;
  }
  const withoutLiterals = printed
    .replace(PRINTED_STRING, (literal) => '_'.repeat(literal.length))
    .replace(PRINTED_CHARACTER, (literal) => '_'.repeat(literal.length));
  for (const [pattern, reason] of NOWHERE) {
    const at = withoutLiterals.search(pattern);
    if (at >= 0) return { offset: at, reason };
  }
  for (const { index } of printed.matchAll(/set_option/g)) {
    if (!options.test(printed.slice(index, index + 200))) return { offset: index, reason: 'sets an option' };
  }
  return null;
}
