/**
 * How new a statement is: one minus its greatest Jaccard similarity with any earlier statement, over sets of three
 * consecutive tokens. 0 means known up to names; 1 means no three consecutive tokens in common with any earlier
 * statement. It measures wording, not mathematics: it is cheap, the same on every machine, and sufficient to detect a
 * conjecturer that repeats itself.
 */
import { Postings } from './postings.ts';
import { displayStatement } from './prompts.ts';

/** Trigrams an index holds: those of some 200,000 statements, in 250 MB at most. */
const TRIGRAMS_MAX = 8_000_000;

const TOKEN = /[\p{L}_][\p{L}\p{N}_'!?₀-₉.]*|\p{N}+|[^\s\p{L}\p{N}]/gu;
const BINDER_NAMES = /[({⦃]\s*([^:(){}⦃⦄[\]]+?)\s*:(?!=)/gu;

/** Tokens of a statement without its name; bound variables are numbered by where they are bound, so that renaming is nothing new. */
export function noveltyTokens(statement: string): string[] {
  const text = displayStatement(statement);
  const bound = new Map<string, string>();
  for (const match of text.matchAll(BINDER_NAMES))
    for (const name of match[1]!.split(/\s+/u)) if (!bound.has(name)) bound.set(name, `#${bound.size}`);
  return (text.match(TOKEN) ?? []).map((token) => bound.get(token) ?? token);
}

/** Hashes (FNV-1a, 32 bits) of the distinct trigrams; both ends are marked, so that even one token makes some. */
function trigrams(statement: string): Set<number> {
  const tokens = ['^', '^', ...noveltyTokens(statement), '$'];
  const found = new Set<number>();
  for (let at = 2; at < tokens.length; at++) found.add(hash(`${tokens[at - 2]}\n${tokens[at - 1]}\n${tokens[at]}`));
  return found;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * Statements to be compared with, as an inverted index from trigrams. Memory is bounded: the first half of the room takes
 * every statement, the next quarter every second one (chosen by its text), the next eighth every fourth, and so on. Once
 * it is more than half full, what it answers is an upper bound.
 */
export class NoveltyIndex {
  private readonly room: number;
  private readonly postings = new Postings();
  /** Distinct trigrams of every statement held. */
  private readonly trigramCounts: number[] = [];
  private shared = new Uint16Array(1_024);

  /** @param trigramsMax room, in distinct trigrams summed over statements */
  constructor(trigramsMax = TRIGRAMS_MAX) {
    this.room = trigramsMax;
  }

  /** Statements held. */
  get size(): number {
    return this.trigramCounts.length;
  }

  add(statement: string): void {
    const level = Math.floor(Math.log2(this.room / (this.room - this.postings.size)));
    if (this.postings.size >= this.room || hash(statement) % 2 ** level !== 0) return;
    const own = trigrams(statement);
    if (this.postings.size + own.size > this.room) return;
    for (const key of own) this.postings.add(key, this.size);
    this.trigramCounts.push(own.size);
  }

  /** In [0, 1]; 1 where nothing was added yet. */
  novelty(statement: string): number {
    const own = trigrams(statement);
    if (this.shared.length < this.size) this.shared = new Uint16Array(2 * this.size);
    const { shared } = this;
    const touched: number[] = [];
    const share = (other: number): void => {
      if (shared[other]!++ === 0) touched.push(other);
    };
    for (const key of own) this.postings.each(key, share);
    let closest = 0;
    for (const other of touched) {
      const both = shared[other]!;
      closest = Math.max(closest, both / (own.size + this.trigramCounts[other]! - both));
      shared[other] = 0;
    }
    return 1 - closest;
  }
}
