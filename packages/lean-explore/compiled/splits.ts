/** Divides theorems of a library into areas, and into those whose proofs share what they use with others and those that do not. */
import { createHash } from 'node:crypto';

/** Share of a set that is held out, as for other sets. */
const HELD_OUT_SHARE = 0.3;
/** Folders that say nothing of what is in them. */
const PLAIN_FOLDERS: ReadonlySet<string> = new Set(['Data']);

/** `List` for `Init.Data.List.Lemmas`: the first part of the name below the library's, `Data` left out. */
export function areaOf(module: string): string {
  const parts = module.split('.');
  const below = parts.slice(1).filter((part) => !PLAIN_FOLDERS.has(part));
  return (below[0] ?? parts[0]!).slice(0, 128);
}

/**
 * Chooses premises by hash and holds out all theorems that use one of them, so each of these uses a premise that no
 * training proof uses (`novel_premises` of arXiv 2306.15626). Premises are taken until the share of theorems is reached.
 */
export class NoveltyBounds {
  readonly #scores: number[] = [];
  #count = 0;

  /** Theorems with a proof. */
  get count(): number {
    return this.#count;
  }

  /** The theorem's score: the least hash of what its proof uses; null without a proof. */
  add(premises: readonly string[] | null): number | null {
    if (premises === null) return null;
    this.#count += 1;
    const score = premises.reduce((least, premise) => Math.min(least, fraction(premise)), 1);
    this.#scores.push(score);
    return score;
  }

  /** Scores below it are held out. */
  bound(): number {
    const sorted = this.#scores.toSorted((a, b) => a - b);
    return sorted[Math.floor(HELD_OUT_SHARE * sorted.length)] ?? 0;
  }
}

const fraction = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
