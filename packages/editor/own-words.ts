/**
 * Words that a suggestion may not contain because of the text above: the theorem's own name, and axioms of the file.
 */

import { declarationAbove } from '@stp/lean-explore';
import { tokenize } from '@stp/lean-text';

const OWN = /^(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable|nonrec)\s+)*(?:theorem|lemma)\s+([^\s:({[]+)/u;
const AXIOM = /^[ \t]*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected)\s+)?axiom\s+([^\s:({[]+)/gmu;

/** Returns the name of the theorem being proved, as written; null if there is none. */
export const ownName = (above: string): string | null => OWN.exec(declarationAbove(above))?.[1] ?? null;

/** Returns the reason why each word is refused. */
export function refusedWords(above: string): ReadonlyMap<string, string> {
  const own = ownName(above);
  return new Map([
    ...[...above.matchAll(AXIOM)].map(([, name]): [string, string] => [name!, `${name} is an axiom of the file`]),
    ...(own === null ? [] : [[own, `${own} is what is to be proved`] as const]),
  ]);
}

/** Returns null if the text contains none of the words. */
export function refusedWord(text: string, words: ReadonlyMap<string, string>): string | null {
  if (words.size === 0) return null;
  for (const { kind, text: word } of tokenize(text)) {
    if (kind !== 'word') continue;
    for (const [name, reason] of words)
      if (word === name || word.endsWith(`.${name}`) || word.startsWith(`${name}.`)) return reason;
  }
  return null;
}
