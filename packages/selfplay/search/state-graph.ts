/**
 * The states that a search has reached. States with equal keys are one state. Each state has its best known path; a
 * better path moves the state and its successors forward in the queue. The score of a path is Σ log p / length^α over
 * its tactics, as in BFS-Prover (arXiv 2502.03438, §3.1); α = 0 is the sum of ReProver (arXiv 2306.15626, §5). A
 * verifier's bonus for the path's last tactic is added.
 */

interface Path {
  readonly key: string;
  readonly from: Path | null;
  /** Natural log-probability of all tactics together. */
  readonly logprob: number;
  /** Number of tactics. */
  readonly length: number;
  /** Bonus of the last tactic. */
  readonly bonus: number;
}

/** A tactic between two states. */
interface Edge {
  readonly logprob: number;
  readonly bonus?: number;
}

interface Node<State> {
  readonly key: string;
  state: State;
  path: Path;
  isOpen: boolean;
  /** Steps to other states; none before the state is expanded. */
  readonly edges: (Edge & { readonly to: string })[];
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

  /** @param lengthExponent α, at least 0; a larger α favours long paths */
  constructor(root: { readonly key: string; readonly state: State }, lengthExponent: number) {
    this.#lengthExponent = lengthExponent;
    this.#add(root.key, root.state, { key: root.key, from: null, logprob: 0, length: 0, bonus: 0 });
  }

  get size(): number {
    return this.#nodes.size;
  }

  /**
   * Returns the open state with the highest score, among equal scores the first reached; null if none is open. The
   * state stays open.
   */
  best(): ReachedState<State> | null {
    let best: Node<State> | null = null;
    for (const node of this.#nodes.values())
      if (node.isOpen && (best === null || this.#score(node.path) > this.#score(best.path))) best = node;
    if (best === null) return null;
    const { key, state, path } = best;
    return { key, state, logprob: path.logprob, length: path.length, score: this.#score(path) };
  }

  /** Marks the state as expanded, so it is no longer open. */
  close(key: string): void {
    this.#nodes.get(key)!.isOpen = false;
  }

  /**
   * Adds a step: a tactic leads from one state to another.
   *
   * @param edge the tactic's log-probability and bonus
   * @param state the state after the tactic; kept if this is the first path to it, or a better one and the state is open
   * @returns whether the state is new, is reached by a better path than before, or neither
   */
  reach(from: string, { logprob, bonus = 0 }: Edge, key: string, state: State): 'new' | 'better' | 'known' {
    const source = this.#nodes.get(from)!;
    const edge = { logprob, bonus };
    source.edges.push({ to: key, ...edge });
    const node = this.#nodes.get(key);
    if (node === undefined) {
      this.#add(key, state, extended(source.path, key, edge));
      return 'new';
    }
    if (!this.#offer(node, extended(source.path, key, edge))) return 'known';
    if (node.isOpen) node.state = state;
    return 'better';
  }

  #add(key: string, state: State, path: Path): void {
    this.#nodes.set(key, { key, state, path, isOpen: true, edges: [] });
  }

  /** Takes the path if it is better, and offers its continuations to the node's successors. */
  #offer(node: Node<State>, path: Path): boolean {
    // Refuses a path that passes a state twice: with α > 0 a cycle of likely tactics would raise the score forever.
    if (passes(path.from, node.key) || this.#score(path) <= this.#score(node.path)) return false;
    node.path = path;
    for (const { to, ...edge } of node.edges) this.#offer(this.#nodes.get(to)!, extended(path, to, edge));
    return true;
  }

  #score({ logprob, length, bonus }: Path): number {
    return length === 0 ? 0 : logprob / length ** this.#lengthExponent + bonus;
  }
}

function extended(path: Path, key: string, { logprob, bonus = 0 }: Edge): Path {
  return { key, from: path, logprob: path.logprob + logprob, length: path.length + 1, bonus };
}

function passes(path: Path | null, key: string): boolean {
  for (let at = path; at !== null; at = at.from) if (at.key === key) return true;
  return false;
}
