/**
 * The states that a search has met. States of one key are one state. Each has the best way to it that is known; a better one
 * moves it, and what lies behind it, forward in the queue. The score of a way is Σ log p / length^α over its tactics, as in
 * BFS-Prover (arXiv 2502.03438, §3.1); α = 0 is the plain sum of ReProver (arXiv 2306.15626, §5).
 */

interface Way {
  readonly key: string;
  readonly from: Way | null;
  /** Of all tactics together, natural. */
  readonly logprob: number;
  /** Tactics. */
  readonly length: number;
}

interface Node<State> {
  readonly key: string;
  state: State;
  way: Way;
  isOpen: boolean;
  /** Steps to other states, once it is expanded. */
  readonly edges: { readonly to: string; readonly logprob: number }[];
}

export interface ReachedState<State> {
  readonly key: string;
  readonly state: State;
  readonly logprob: number;
  readonly length: number;
  readonly score: number;
}

export class StateGraph<State> {
  readonly #nodes = new Map<string, Node<State>>();
  readonly #lengthExponent: number;

  /** @param lengthExponent α, from 0 (long ways are dear) upwards */
  constructor(root: { readonly key: string; readonly state: State }, lengthExponent: number) {
    this.#lengthExponent = lengthExponent;
    this.#add(root.key, root.state, { key: root.key, from: null, logprob: 0, length: 0 });
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** The open state of the highest score, of equal ones the first that was met; null where none is open. It stays open. */
  best(): ReachedState<State> | null {
    let best: Node<State> | null = null;
    for (const node of this.#nodes.values())
      if (node.isOpen && (best === null || this.#score(node.way) > this.#score(best.way))) best = node;
    if (best === null) return null;
    const { key, state, way } = best;
    return { key, state, logprob: way.logprob, length: way.length, score: this.#score(way) };
  }

  /** The state is expanded: it is not open any more. */
  close(key: string): void {
    this.#nodes.get(key)!.isOpen = false;
  }

  /**
   * A tactic leads from one state to another.
   *
   * @param logprob of the tactic
   * @param state at the other end; kept where this is the first way to it, or a better one and it is open
   * @returns whether the state is new, is reached by a better way than before, or neither
   */
  reach(from: string, logprob: number, key: string, state: State): 'new' | 'better' | 'known' {
    const source = this.#nodes.get(from)!;
    source.edges.push({ to: key, logprob });
    const node = this.#nodes.get(key);
    if (node === undefined) {
      this.#add(key, state, extended(source.way, key, logprob));
      return 'new';
    }
    if (!this.#offer(node, extended(source.way, key, logprob))) return 'known';
    if (node.isOpen) node.state = state;
    return 'better';
  }

  #add(key: string, state: State, way: Way): void {
    this.#nodes.set(key, { key, state, way, isOpen: true, edges: [] });
  }

  /** Takes a way where it is better, and offers its continuations to what lies behind. */
  #offer(node: Node<State>, way: Way): boolean {
    // With α > 0 a circle of likely tactics would raise the score for ever.
    if (passes(way.from, node.key) || this.#score(way) <= this.#score(node.way)) return false;
    node.way = way;
    for (const { to, logprob } of node.edges) this.#offer(this.#nodes.get(to)!, extended(way, to, logprob));
    return true;
  }

  #score({ logprob, length }: Way): number {
    return length === 0 ? 0 : logprob / length ** this.#lengthExponent;
  }
}

function extended(way: Way, key: string, logprob: number): Way {
  return { key, from: way, logprob: way.logprob + logprob, length: way.length + 1 };
}

function passes(way: Way | null, key: string): boolean {
  for (let at = way; at !== null; at = at.from) if (at.key === key) return true;
  return false;
}
