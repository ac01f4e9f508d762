/**
 * Limits the size of an answer. Each text from Lean counts when it arrives, against the limit of its snippet and
 * against the limit of the whole answer, which all snippets of a request share. Nothing is reserved, so concurrent
 * snippets can use what others leave.
 */
import { ANSWER_CHARS_MAX, SNIPPET_ANSWER_CHARS_MAX } from './limits.ts';

export interface SnippetRoom {
  /** Counts this many further characters. Returns false, and counts nothing, if that would exceed a limit. */
  take(chars: number): boolean;
  /** Uncounts everything that this snippet has taken, because none of it goes into the answer. */
  giveBack(): void;
}

/** Returns a function to call once for each snippet. */
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
