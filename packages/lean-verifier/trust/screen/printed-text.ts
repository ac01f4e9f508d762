/**
 * A second check of text that was printed from tokens. It knows nothing about tokens: it tests conditions on the
 * characters alone that hold if there is no comment, no literal but plain ones, no quotation, no attribute and no
 * option outside a short list. It finds errors of the tokenizer, and two tokens that join to a third.
 */

import type { Finding } from './finding.ts';
import { OPTIONS_MAX } from './forbidden.ts';
import { PRINTED_CHARACTER, PRINTED_STRING } from './literals.ts';

const ALLOWED = /^[ \n\p{L}\p{N}\p{S}\p{P}]$/u;
/** A quote is part of a name, or of one of the few tokens that have one. */
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

/** Options with the form of their values, as they may stand in the text. */
export const PROOF_OPTIONS = new RegExp(
  `^set_option\\s+(?:${[...OPTIONS_MAX.keys()].map((name) => name.replaceAll('.', '\\.')).join('|')})\\s+[1-9][0-9]*(?![\\w.])`,
  'u',
);
export const NO_OPTIONS = /(?!)/;

/** The first place where the text is not as printed text is, or null. `options` matches at each `set_option` that may stand. */
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
