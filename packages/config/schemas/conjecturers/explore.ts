/**
 * The conjecturer `explore`: equations over the functions near the seed or target that hold on test values, smallest
 * first (`packages/lean-explore/explore`). It uses no model.
 */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';
import type { Conjecturer, ConjecturerTurn } from './conjecturer.ts';

/** Settings of conjecturers that use the functions near a statement. */
export const functionsRead = {
  /**
   * For each function, exploration first asks whether it equals a function of Lean's core library, `plus n m = n + m`.
   * Once this is proved, the theorems about the core function apply to it.
   */
  coreEquivalents: z.boolean().default(true),
  /** If a statement uses only functions of Lean's core library, exploration uses those. */
  coreFunctions: z.boolean().default(false),
};

export const exploration = {
  ...functionsRead,
  /**
   * Maximum number of deepening steps. Exploration takes a step (more functions, and more of them in a side) if few of
   * the round's explored equations are left to prove.
   */
  deeperMax: z.number().int().nonnegative().max(3).default(0),
  /**
   * Share of a round's attempted conjectures that a learned ranker chooses, from all that exploration found and the
   * model wrote. The others come in exploration's order.
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
