/** Finds the known word nearest to a mistyped one, for error messages. */
import { editDistance } from '@stp/base';

/** Returns the candidate with the fewest edits, or null if it shares less than half of its letters with the word. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = editDistance(word.slice(0, 64), candidate.slice(0, 64));
    if (best === null || distance < best.distance) best = { candidate, distance };
  }
  return best !== null && best.distance <= Math.max(2, best.candidate.length / 2) ? best.candidate : null;
}

/** Returns ` (did you mean X?)`, or an empty text. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === null ? '' : ` (did you mean ${found}?)`;
}
