/**
 * Interning: each distinct node is stored once, in columns of typed arrays. A node has a kind and three operands, all
 * small integers. Its number is its identity, so equality compares numbers, and caches map numbers.
 *
 * There are two levels. Nodes of the environment are permanent. Nodes of one declaration's check are scratch and are
 * dropped when the check ends, so a long-running process stays as large as its environment.
 */
import { randomOdd } from './memory.ts';
import { Decline } from './verdict.ts';

const FIRST_CAPACITY = 1 << 12;
/** Number of slots to which the scratch index shrinks when scratch is dropped. */
const SCRATCH_SLOTS = 1 << 13;

/**
 * Random for each process, so that no file can be made whose nodes collide. The numbers of nodes, and so the verdicts,
 * do not depend on them.
 */
const [FIRST, SECOND, THIRD, LAST] = randomOdd(4) as [number, number, number, number];

export class NodeTable {
  kinds = new Uint8Array(FIRST_CAPACITY);
  first = new Int32Array(FIRST_CAPACITY);
  second = new Int32Array(FIRST_CAPACITY);
  third = new Int32Array(FIRST_CAPACITY);
  count = 0;
  /** Nodes below this number are permanent. While scratch is closed, it grows with `count`. */
  permanentCount = 0;
  /** Maximum scratch nodes; beyond it a check is declined. */
  scratchNodesMax = Number.POSITIVE_INFINITY;
  #isScratchOpen = false;
  /** Hash tables with open addressing. A slot contains a node's number plus one, or zero. */
  #permanentSlots = new Int32Array(FIRST_CAPACITY * 2);
  #scratchSlots = new Int32Array(SCRATCH_SLOTS);
  readonly #what: string;

  constructor(what: string) {
    this.#what = what;
  }

  get capacity(): number {
    return this.kinds.length;
  }

  /**
   * Returns the node with these operands, creating it if necessary; it is new if the result equals the previous
   * `count`. `mayBePermanent` is false if an operand is in scratch, so that no permanent node can have it.
   */
  intern(kind: number, first: number, second: number, third: number, mayBePermanent: boolean): number {
    const hash = mix(kind, first, second, third);
    if (mayBePermanent || !this.#isScratchOpen) {
      const found = this.#find(this.#permanentSlots, hash, kind, first, second, third);
      if (found >= 0) return found;
    }
    if (!this.#isScratchOpen) {
      const made = this.#append(kind, first, second, third);
      this.permanentCount = this.count;
      if (this.count * 2 > this.#permanentSlots.length) this.#permanentSlots = this.#rebuilt(0, this.count);
      else insert(this.#permanentSlots, hash, made);
      return made;
    }
    const found = this.#find(this.#scratchSlots, hash, kind, first, second, third);
    if (found >= 0) return found;
    const used = this.count - this.permanentCount;
    if (used >= this.scratchNodesMax)
      throw new Decline(`more than ${this.scratchNodesMax} ${this.#what} in one declaration`);
    const made = this.#append(kind, first, second, third);
    if ((used + 1) * 2 > this.#scratchSlots.length) this.#scratchSlots = this.#rebuilt(this.permanentCount, this.count);
    else insert(this.#scratchSlots, hash, made);
    return made;
  }

  get isScratchOpen(): boolean {
    return this.#isScratchOpen;
  }

  openScratch(): void {
    this.#isScratchOpen = true;
  }

  dropScratch(): void {
    this.#isScratchOpen = false;
    this.count = this.permanentCount;
    if (this.#scratchSlots.length > SCRATCH_SLOTS) this.#scratchSlots = new Int32Array(SCRATCH_SLOTS);
    else this.#scratchSlots.fill(0);
  }

  #find(slots: Int32Array, hash: number, kind: number, first: number, second: number, third: number): number {
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const node = slots[at]! - 1;
      if (node < 0) return -1;
      if (
        this.first[node] === first &&
        this.second[node] === second &&
        this.kinds[node] === kind &&
        this.third[node] === third
      )
        return node;
    }
  }

  #append(kind: number, first: number, second: number, third: number): number {
    const node = this.count++;
    if (node >= this.kinds.length) {
      const capacity = this.kinds.length * 2;
      this.kinds = grown(new Uint8Array(capacity), this.kinds);
      this.first = grown(new Int32Array(capacity), this.first);
      this.second = grown(new Int32Array(capacity), this.second);
      this.third = grown(new Int32Array(capacity), this.third);
    }
    this.kinds[node] = kind;
    this.first[node] = first;
    this.second[node] = second;
    this.third[node] = third;
    return node;
  }

  /** Builds an index of the nodes from `from` to `to`, with four slots per node. */
  #rebuilt(from: number, to: number): Int32Array<ArrayBuffer> {
    let length = SCRATCH_SLOTS;
    while (length < (to - from) * 4) length *= 2;
    const slots = new Int32Array(length);
    for (let node = from; node < to; node++)
      insert(slots, mix(this.kinds[node]!, this.first[node]!, this.second[node]!, this.third[node]!), node);
    return slots;
  }
}

/** Copies the entries of a smaller column into a new one. */
export function grown<Column extends Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(
  to: Column,
  from: Column,
): Column {
  to.set(from);
  return to;
}

/**
 * Mixes 32 bits: products with odd constants, folded so that the low bits, which select the slot, depend on all bits.
 */
function mix(kind: number, first: number, second: number, third: number): number {
  let hash = Math.imul(first, FIRST) ^ Math.imul(second + kind, SECOND) ^ Math.imul(third + 1, THIRD);
  hash = Math.imul(hash ^ (hash >>> 15), LAST);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function insert(slots: Int32Array, hash: number, node: number): void {
  const mask = slots.length - 1;
  let at = hash & mask;
  while (slots[at] !== 0) at = (at + 1) & mask;
  slots[at] = node + 1;
}
