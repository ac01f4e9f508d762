/**
 * Best-first search for a proof, tactic by tactic: the best open state is expanded by sampled tactics, what they lead to joins
 * the open states. Knows neither Lean nor a model: both come as a `SearchWorld`.
 */
import { StateGraph } from './state-graph.ts';

export interface Proposal {
  readonly tactic: string;
  /** Natural, of the tactic as a whole; 0 at most. */
  readonly logprob: number;
  /** How many samples said this. */
  readonly count: number;
}

export type Stepped<State> =
  /** States of equal key are one state. */
  | { readonly kind: 'open'; readonly key: string; readonly state: State }
  | { readonly kind: 'done'; readonly state: State }
  | { readonly kind: 'invalid'; readonly why: string };

export interface SearchWorld<State> {
  /** Tactics to try in a state, in this order. `expansion` counts from 0. */
  propose(state: State, expansion: number): Promise<readonly Proposal[]>;
  /** Runs a tactic. `leanMs`: what it took of Lean's time. */
  run(state: State, tactic: string): Promise<Stepped<State> & { readonly leanMs: number }>;
  /** Has the steps of one expansion run without another search's between them. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Wall time, ms, from any beginning. */
  now(): number;
}

/** Looked at before an expansion begins, times before every step as well. A step that has begun counts whatever it takes. */
export interface SearchLimits {
  readonly expansions: number;
  readonly wallMs: number;
  readonly leanMs: number;
}

export interface SearchStep extends Proposal {
  /** Or why there is no state after it. */
  readonly outcome: string;
  /** Key of the state after it; null where there is none or no goal is left. */
  readonly next: string | null;
  readonly leanMs: number;
}

export interface Expansion {
  readonly key: string;
  /** Of the way to the state: tactics, their log-probability, the score that the state was chosen by. */
  readonly length: number;
  readonly logprob: number;
  readonly score: number;
  /** Those that were run. */
  readonly steps: readonly SearchStep[];
}

export interface SearchOutcome<State> {
  /** `exhausted`: no state is open; the others: the limit that ended it. */
  readonly end: 'proved' | 'exhausted' | keyof SearchLimits;
  /** The proved state; else the best that is open, or the root. */
  readonly state: State;
  /** Log-probability of the way to that state. */
  readonly logprob: number;
  readonly expansions: readonly Expansion[];
  /** Different states that were met, the root among them. */
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
        if (stepped.kind === 'open') graph.reach(key, proposal.logprob, stepped.key, stepped.state);
      }
      return null;
    });
    if (ended !== null) return ended;
  }
}
