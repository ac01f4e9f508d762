/**
 * Limits the size of an answer. Every text of Lean takes room when it arrives: from its own snippet, which has a limit,
 * and from the whole answer, whose limit all snippets of a request share. No room is reserved, so snippets that are
 * checked at the same time leave each other the room they do not use.
 */
import { ANSWER_CHARS_MAX, SNIPPET_ANSWER_CHARS_MAX } from './limits.ts';

export interface SnippetRoom {
  /** Takes room for so many characters more; false, and nothing is taken, where there is not so much. */
  take(chars: number): boolean;
  /** Gives the room back that this snippet has taken: nothing of it goes into the answer. */
  giveBack(): void;
}

/** Call what is returned once for each snippet. */
export function openAnswerRoom(): () => SnippetRoom {
  let left = ANSWER_CHARS_MAX;
  return () => {
    let taken = 0;
    return {
      take(chars) {
        if (chars > left || taken + chars > SNIPPET_ANSWER_CHARS_MAX) return false;
        taken += chars;
        left -= chars;
        return true;
      },
      giveBack() {
        left += taken;
        taken = 0;
      },
    };
  };
}
