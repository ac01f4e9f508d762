/** The port behind which suggestions are written: models, servers of models, a list of scripts. */
import type { ShownDefinition, ShownGoal } from '@stp/config/records';

export interface Query {
  readonly goal: ShownGoal;
  /** All goals as Lean prints them. */
  readonly state: string;
  readonly prefix: string;
  /** The file up to the place; empty where it is not known. */
  readonly context: string;
  /** Definitions that the goal mentions, nearest first. */
  readonly definitions: readonly ShownDefinition[];
  /** Full names of theorems that share terms with the goal, the likeliest first. */
  readonly premises: readonly string[];
}

export interface Proposal {
  /** Begins with the prefix. */
  readonly text: string;
  /** Mean log-probability of a token; null without one. */
  readonly score: number | null;
  /** Log-probability of all its tokens together. */
  readonly logprob: number | null;
  /** Meant to close the goal: such proposals are tried together, in their order. */
  readonly isCloser?: boolean;
}

export interface Engine {
  readonly name: string;
  /** Everything that its proposals depend on beside the query: part of the cache's key. */
  readonly identity: string;
  /** Tries what often fails: what Lean refuses of it is not told. */
  readonly isQuiet?: boolean;
  /** The likeliest first, without repeats. */
  propose(query: Query, signal: AbortSignal): Promise<readonly Proposal[]>;
  /** The vector of a text; missing where the engine has none. */
  embed?(text: string, signal: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Each text once, with its best score; the best first. */
export function bestOfEach(proposals: readonly Proposal[]): Proposal[] {
  const best = new Map<string, Proposal>();
  for (const one of proposals.toSorted((left, right) => (right.score ?? 0) - (left.score ?? 0)))
    if (!best.has(one.text)) best.set(one.text, one);
  return [...best.values()];
}
