/**
 * Best-first search for a proof, tactic by tactic. It expands the best open state: it runs sampled tactics there, and
 * the resulting states become open. Lean and the model are given as a `SearchWorld`.
 */
import { StateGraph } from './state-graph.ts';

export interface Proposal {
  readonly tactic: string;
  /** Natural log-probability of the whole tactic; at most 0. */
  readonly logprob: number;
  /** Number of tokens that `logprob` sums over, if known. */
  readonly tokens?: number;
  /** Number of samples with this tactic. */
  readonly count: number;
  /** A verifier's score of the tactic; added once to the score of the state that it leads to. */
  readonly bonus?: number;
}

export type Stepped<State> =
  /** States with equal keys are one state. */
  | { readonly kind: 'open'; readonly key: string; readonly state: State }
  | { readonly kind: 'done'; readonly state: State }
  | { readonly kind: 'invalid'; readonly why: string };

export interface SearchWorld<State> {
  /** Returns tactics to try in a state, in this order. `expansion` counts from 0. */
  propose(state: State, expansion: number): Promise<readonly Proposal[]>;
  /** Runs a tactic. `leanMs` is Lean's CPU time. */
  run(state: State, tactic: string): Promise<Stepped<State> & { readonly leanMs: number }>;
  /** Runs the steps of one expansion without steps of another search between them. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Wall time in ms since some fixed moment. */
  now(): number;
}

/**
 * Limits that the search checks before each expansion, and times before each step too. A started step's result counts.
 */
export interface SearchLimits {
  readonly expansions: number;
  readonly wallMs: number;
  readonly leanMs: number;
}

export interface SearchStep extends Proposal {
  /** `open`, `done`, or the reason why there is no state after the tactic. */
  readonly outcome: string;
  /** Key of the state after the tactic; null if there is none or no goal is left. */
  readonly next: string | null;
  readonly leanMs: number;
}

export interface Expansion {
  readonly key: string;
  /** Number of tactics on the path to the state, their log-probability, and the score for which the state was chosen. */
  readonly length: number;
  readonly logprob: number;
  readonly score: number;
  /** The tactics that were run. */
  readonly steps: readonly SearchStep[];
}

export interface SearchOutcome<State> {
  /** `exhausted`: no open state is left. The names of limits: that limit ended the search. */
  readonly end: 'proved' | 'exhausted' | keyof SearchLimits;
  /** The proved state; otherwise the best open state, or the root if none is open. */
  readonly state: State;
  /** Log-probability of the path to that state. */
  readonly logprob: number;
  readonly expansions: readonly Expansion[];
  /** Number of different states reached, including the root. */
  readonly states: number;
  readonly leanMs: number;
}

/** @param lengthExponent α of the score (`StateGraph`) */
export async function searchProof<State>(
  root: { readonly key: string; readonly state: State },
  world: SearchWorld<State>,
  { limits, lengthExponent }: { readonly limits: SearchLimits; readonly lengthExponent: number },
): Promise<SearchOutcome<State>> {
  const graph = new StateGraph(root, lengthExponent);
  const expansions: Expansion[] = [];
  const beganAt = world.now();
  let leanMs = 0;
  const timeSpent = (): 'wallMs' | 'leanMs' | null => {
    if (leanMs >= limits.leanMs) return 'leanMs';
    return world.now() - beganAt >= limits.wallMs ? 'wallMs' : null;
  };
  const outcome = (
    end: SearchOutcome<State>['end'],
    { state, logprob }: { readonly state: State; readonly logprob: number },
  ): SearchOutcome<State> => ({ end, state, logprob, expansions, states: graph.size, leanMs });
  for (;;) {
    const best = graph.best();
    const at = best ?? { state: root.state, logprob: 0 };
    if (best === null) return outcome('exhausted', at);
    const spent = expansions.length >= limits.expansions ? 'expansions' : timeSpent();
    if (spent !== null) return outcome(spent, at);
    const { key, state, logprob, length, score } = best;
    graph.close(key);
    const proposals = await world.propose(state, expansions.length);
    const steps: SearchStep[] = [];
    expansions.push({ key, length, logprob, score, steps });
    const ended = await world.together(async () => {
      for (const proposal of proposals) {
        const over = timeSpent();
        if (over !== null) return outcome(over, best);
        const { leanMs: stepMs, ...stepped } = await world.run(state, proposal.tactic);
        leanMs += stepMs;
        const next = stepped.kind === 'open' ? stepped.key : null;
        const why = stepped.kind === 'invalid' ? stepped.why : stepped.kind;
        steps.push({ ...proposal, outcome: why, next, leanMs: stepMs });
        if (stepped.kind === 'done')
          return outcome('proved', { state: stepped.state, logprob: logprob + proposal.logprob });
        if (stepped.kind === 'open') graph.reach(key, proposal, stepped.key, stepped.state);
      }
      return null;
    });
    if (ended !== null) return ended;
  }
}
