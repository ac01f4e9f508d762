/** The port for sources of suggestions: models, servers of models, a list of scripts. */
import type { ShownDefinition, ShownGoal } from '@stp/config/records';

export interface Query {
  readonly goal: ShownGoal;
  /** All goals as Lean prints them. */
  readonly state: string;
  readonly prefix: string;
  /** The file up to the position; empty if unknown. */
  readonly context: string;
  /** Definitions that the goal mentions, nearest first. */
  readonly definitions: readonly ShownDefinition[];
  /** Full names of theorems that share terms with the goal, most likely first. */
  readonly premises: readonly string[];
}

export interface Proposal {
  /** Begins with the prefix. */
  readonly text: string;
  /** Mean log-probability of its tokens; null without one. */
  readonly score: number | null;
  /** Sum of the log-probabilities of its tokens; null without one. */
  readonly logprob: number | null;
  /** Meant to close the goal. Such proposals are tried together, in order. */
  readonly isCloser?: boolean;
}

export interface Engine {
  readonly name: string;
  /** Everything except the query that determines its proposals; part of the cache's key. */
  readonly identity: string;
  /** The engine's proposals often fail, so those that Lean refuses are not reported. */
  readonly isQuiet?: boolean;
  /** Returns proposals without repetitions, most likely first. */
  propose(query: Query, signal: AbortSignal): Promise<readonly Proposal[]>;
  /** Returns the embedding of a text. Missing if the engine has none. */
  embed?(text: string, signal: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Returns distinct texts with their best scores, best first. */
export function bestOfEach(proposals: readonly Proposal[]): Proposal[] {
  const best = new Map<string, Proposal>();
  for (const one of proposals.toSorted((left, right) => (right.score ?? 0) - (left.score ?? 0)))
    if (!best.has(one.text)) best.set(one.text, one);
  return [...best.values()];
}
