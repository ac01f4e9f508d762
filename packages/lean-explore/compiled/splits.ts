/**
 * Divides theorems of a library into areas, and into training and held-out theorems by the premises of their proofs.
 */
import { createHash } from 'node:crypto';

/** Held-out share of a set, as for other sets. */
const HELD_OUT_SHARE = 0.3;
/** Folders whose names say nothing about their content. */
const PLAIN_FOLDERS: ReadonlySet<string> = new Set(['Data']);

/**
 * Returns the area of a module: `List` for `Init.Data.List.Lemmas`, the first name component after the library's,
 * without `Data`.
 */
export function areaOf(module: string): string {
  const parts = module.split('.');
  const below = parts.slice(1).filter((part) => !PLAIN_FOLDERS.has(part));
  return (below[0] ?? parts[0]!).slice(0, 128);
}

/**
 * Chooses premises by hash and holds out all theorems that use one of them, so each held-out theorem uses a premise
 * that no training proof uses (`novel_premises` of arXiv 2306.15626). Premises are added until the held-out share is
 * reached.
 */
export class NoveltyBounds {
  readonly #scores: number[] = [];
  #count = 0;

  /** Number of theorems with a proof. */
  get count(): number {
    return this.#count;
  }

  /** Returns the theorem's score: the smallest hash of its proof's premises; null without a proof. */
  add(premises: readonly string[] | null): number | null {
    if (premises === null) return null;
    this.#count += 1;
    const score = premises.reduce((least, premise) => Math.min(least, fraction(premise)), 1);
    this.#scores.push(score);
    return score;
  }

  /** Theorems with smaller scores are held out. */
  bound(): number {
    const sorted = this.#scores.toSorted((a, b) => a - b);
    return sorted[Math.floor(HELD_OUT_SHARE * sorted.length)] ?? 0;
  }
}

const fraction = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
