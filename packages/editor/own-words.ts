/** Words that a suggestion at a place may not say because of what stands above: the theorem's own name, axioms of the file. */

import { declarationAbove } from '@stp/lean-explore';
import { tokenize } from '@stp/lean-text';

const OWN = /^(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable|nonrec)\s+)*(?:theorem|lemma)\s+([^\s:({[]+)/u;
const AXIOM = /^[ \t]*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected)\s+)?axiom\s+([^\s:({[]+)/gmu;

/** Name of the theorem that is being proved, as it is written there; null where there is none. */
export const ownName = (above: string): string | null => OWN.exec(declarationAbove(above))?.[1] ?? null;

/** Why each word is refused. */
export function refusedWords(above: string): ReadonlyMap<string, string> {
  const own = ownName(above);
  return new Map([
    ...[...above.matchAll(AXIOM)].map(([, name]): [string, string] => [name!, `${name} is an axiom of the file`]),
    ...(own === null ? [] : [[own, `${own} is what is to be proved`] as const]),
  ]);
}

/** Null where the text says none of them. */
export function refusedWord(text: string, words: ReadonlyMap<string, string>): string | null {
  if (words.size === 0) return null;
  for (const { kind, text: word } of tokenize(text)) {
    if (kind !== 'word') continue;
    for (const [name, reason] of words)
      if (word === name || word.endsWith(`.${name}`) || word.startsWith(`${name}.`)) return reason;
  }
  return null;
}
