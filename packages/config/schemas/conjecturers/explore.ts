/**
 * The conjecturer `explore`: equations over the functions near the seed or target that hold on test values, smallest first
 * (`packages/lean-explore/explore`). Nothing is learned and nothing sampled.
 */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';
import type { Conjecturer, ConjecturerTurn } from './conjecturer.ts';

/** Settings of conjecturers that read the functions near a statement. */
export const functionsRead = {
  /**
   * For each function, exploration first asks whether it equals a function of Lean's core library, `plus n m = n + m`. Once proved,
   * that library's theorems serve.
   */
  coreEquivalents: z.boolean().default(true),
  /** Where a statement uses no function but those of Lean's core library, exploration is over these. */
  coreFunctions: z.boolean().default(false),
};

export const exploration = {
  ...functionsRead,
  /**
   * Where few of a round's explored equations are left to prove, exploration goes deeper (more functions, and more of them in a
   * side), so many steps at most.
   */
  deeperMax: z.number().int().nonnegative().max(3).default(0),
  /**
   * Of the conjectures that a round attempts, the share that a learned ranker chooses from all that exploration found and the model
   * wrote. The others come in exploration's order.
   */
  rankedShare: z.number().min(0).max(1).default(0),
};

export const exploreSchema = z.strictObject({ source: z.literal('explore'), ...conjecturing, ...exploration });

export const EXPLORE = {
  activity: 'exploreConjectures',
  doing: 'explore the functions of',
} as const satisfies ConjecturerTurn;

export const explore = {
  before: null,
  isLearned: false,
  examples: null,
  after: EXPLORE,
} as const satisfies Conjecturer;
