/**
 * Removes unused theorems from Lean sources, so that a file that contains its own library stays small. Definitions
 * stay. A theorem counts as used if the last component of its name occurs as a component of a dotted name in the
 * remaining text. This keeps too much rather than too little. Comments are removed.
 */
import { maskSource, readCommands } from '@stp/lean-text';

export interface LeanSource {
  /** Module name, such as `Stp.Nat`. */
  readonly module: string;
  readonly text: string;
}

const NAME_PART = /[\p{L}_][\p{L}\p{N}_'!?₀-₉]*/gu;
const THEOREM_NAME = /^(?:theorem|lemma)\s+(?:[^\s:({[⦃]*\.)?([^\s:({[⦃.]+)/u;

interface Piece {
  readonly text: string;
  /** Last component of a theorem's name; null for text that always stays. */
  readonly theorem: string | null;
}

/** @param roots texts whose names count as used: the statements and proofs of the file */
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
        // This also counts the theorem's own name, which may keep another theorem of that name. That does no harm.
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

/** Splits a source into commands with their modifiers and attributes, without comments. */
function cut(source: string): Piece[] {
  const masked = maskSource(source);
  let previousEnd = 0;
  return readCommands(masked).map((command) => {
    const text = masked.withoutComments.slice(previousEnd, command.end).trim();
    previousEnd = command.end;
    // A declaration with an attribute (`@[simp]`) works without being named, so it stays.
    return { text: text.replaceAll(/\n\s*\n+/g, '\n'), theorem: THEOREM_NAME.exec(text)?.[1] ?? null };
  });
}
