/** Finds given names in a Lean text. It does not elaborate, so it misses names hidden by a notation. */
import { maskSource } from '@stp/lean-text';

const NAME = /(?<![\p{L}\p{N}_'.])(?:_root_\.)?[\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*/gu;
const ROOT = '_root_.';

export interface Mention {
  /** Full name. */
  readonly name: string;
  /** First component of the name as written. */
  readonly head: string;
  /** Offsets of the written name in the text, in UTF-16 units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/**
 * Yields mentions in order. The longest name counts (`rev_rev.symm` mentions `rev_rev`), in the innermost scope.
 *
 * @param scopes open namespaces, innermost first
 */
export function* mentionsIn(text: string, scopes: readonly string[], names: ReadonlySet<string>): Generator<Mention> {
  for (const { 0: written, index } of maskSource(text).code.matchAll(NAME)) {
    const start = written.startsWith(ROOT) ? index + ROOT.length : index;
    const parts = text.slice(start, index + written.length).split('.');
    for (let length = parts.length; length > 0; length--) {
      const prefix = parts.slice(0, length).join('.');
      const name = [...scopes.map((scope) => `${scope}.${prefix}`), prefix].find((full) => names.has(full));
      if (name === undefined) continue;
      yield { name, head: parts[0]!, start, end: start + prefix.length };
      break;
    }
  }
}
