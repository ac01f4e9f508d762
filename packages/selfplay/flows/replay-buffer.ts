/**
 * Keeps the best items found so far for one statement, without near-duplicates: of two texts that differ in less than a
 * quarter of their letters the better is kept (gfn-lm-tuning, arXiv 2310.04363, appendix). Draws with probabilities
 * proportional to rewards.
 */
import { editDistance } from '@stp/base';
import type { Random } from '../random.ts';

const NEAR_SHARE = 0.25;
/** Number of characters compared: the time of an edit distance grows with its square. */
const COMPARED_CHARS = 256;

interface Kept<Item> {
  readonly item: Item;
  readonly text: string;
  readonly logReward: number;
}

export class ReplayBuffer<Item> {
  readonly #size: number;
  /** Best first. */
  #kept: Kept<Item>[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  get items(): readonly Item[] {
    return this.#kept.map(({ item }) => item);
  }

  add(item: Item, text: string, logReward: number): void {
    const own = { item, text: text.slice(0, COMPARED_CHARS), logReward };
    const near = this.#kept.filter(({ text: other }) => isNear(own.text, other));
    if (near.some((other) => other.logReward >= logReward)) return;
    const others = this.#kept.filter((kept) => !near.includes(kept));
    const index = others.findIndex((other) => other.logReward < logReward);
    this.#kept = others.toSpliced(index < 0 ? others.length : index, 0, own).slice(0, this.#size);
  }

  /** Draws with replacement; returns nothing from an empty buffer. */
  draw(count: number, random: Random): Item[] {
    const best = this.#kept[0];
    if (best === undefined) return [];
    const weights = this.#kept.map(({ logReward }) => Math.exp(logReward - best.logReward));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return Array.from({ length: count }, () => {
      let left = random.next() * total;
      const index = weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      });
      return this.#kept[index < 0 ? weights.length - 1 : index]!.item;
    });
  }
}

function isNear(one: string, other: string): boolean {
  const limit = NEAR_SHARE * (one.length + other.length);
  return one === other || (Math.abs(one.length - other.length) < limit && editDistance(one, other) < limit);
}
