/**
 * Leaves out of Lean sources the theorems that nothing uses, so that a file which carries its own library stays small.
 * Definitions stay. Use is judged by written names: a theorem stays if its last name part appears as any part of a
 * dotted name in the text that stays. This keeps too much rather than too little. Comments are dropped.
 */
import { maskSource, readCommands } from '@stp/lean-text';

export interface LeanSource {
  /** Module name, `Stp.Nat`. */
  readonly module: string;
  readonly text: string;
}

const NAME_PART = /[\p{L}_][\p{L}\p{N}_'!?₀-₉]*/gu;
const THEOREM_NAME = /^(?:theorem|lemma)\s+(?:[^\s:({[⦃]*\.)?([^\s:({[⦃.]+)/u;

interface Piece {
  readonly text: string;
  /** Last part of a theorem's name; null for what always stays. */
  readonly theorem: string | null;
}

/** @param roots texts whose names count as used: the statements and proofs that the file is made for */
export function pruneTheorems(sources: readonly LeanSource[], roots: readonly string[]): LeanSource[] {
  const pieces = sources.map(({ text }) => cut(text));
  const used = new Set<string>();
  const use = (text: string): void => {
    for (const [part] of text.matchAll(NAME_PART)) used.add(part);
  };
  roots.forEach(use);
  const kept = new Set<Piece>();
  for (let grown = true; grown; ) {
    grown = false;
    for (const piece of pieces.flat())
      if (!kept.has(piece) && (piece.theorem === null || used.has(piece.theorem))) {
        kept.add(piece);
        // A theorem's own name in its head is no use of another of that name, but keeping one more is harmless.
        use(piece.text);
        grown = true;
      }
  }
  return sources.map(({ module }, index) => ({
    module,
    text: pieces[index]!.filter((piece) => kept.has(piece))
      .map((piece) => piece.text)
      .join('\n\n'),
  }));
}

/** Commands with what stands between them (modifiers, attributes), comments blanked. */
function cut(source: string): Piece[] {
  const masked = maskSource(source);
  let previousEnd = 0;
  return readCommands(masked).map((command) => {
    const text = masked.withoutComments.slice(previousEnd, command.end).trim();
    previousEnd = command.end;
    // What starts with an attribute (`@[simp]`) works without being named, so it stays.
    return { text: text.replaceAll(/\n\s*\n+/g, '\n'), theorem: THEOREM_NAME.exec(text)?.[1] ?? null };
  });
}
