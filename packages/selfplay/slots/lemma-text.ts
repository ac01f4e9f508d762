/** Lemmas above a statement with real names, as a comment that Lean skips. */
import type { ShownLemma } from '@stp/config/records';

export function lemmaText(lemmas: readonly ShownLemma[]): string {
  const lines = lemmas.map(({ written, signature }) => `theorem ${written} ${signature}`.replaceAll('-/', '- /'));
  return ['/- Theorems that the proof may use:', ...lines, '-/'].join('\n');
}

/** Returns as many of the first lemmas as fit. */
export function lemmasWithin(lemmas: readonly ShownLemma[], tokens: number): readonly ShownLemma[] {
  let room = tokens * CHARACTERS_PER_TOKEN;
  return lemmas.filter(({ written, signature }) => {
    const length = written.length + signature.length;
    if (length > room) return false;
    room -= length;
    return true;
  });
}

/** Approximate number of characters of Lean text in one token of the presets' models. */
const CHARACTERS_PER_TOKEN = 3;
