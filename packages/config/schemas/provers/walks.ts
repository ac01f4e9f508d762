/**
 * The prover `walks`: a sample is a walk over proof states, tactic by tactic as the policy samples them, without a
 * search.
 */
import { z } from 'zod';
import { nameStatePrompts, sampledProver, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';
import { verifierShape } from './verifier-scores.ts';

const walksSchema = z.strictObject({
  /** Maximum number of tactics in a walk. */
  steps: z.number().int().positive().max(256).default(8),
  /** Share of the walks that are sampled at another temperature, for exploration. */
  temperedShare: z.number().min(0).max(1).default(0.5),
  /** The verifier's score of the tactic that leads to an open state is a part of the state's reward, clipped to ±4. */
  ...verifierShape,
});

const own = { mode: z.literal('walks'), ...sampledProver, walks: walksSchema.prefault({}) };
export const walksProverSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), nameStatePrompts.extend(own)]);

const WALK = {
  activity: 'walkShard',
  queue: 'host',
  folder: null,
  doing: 'walk through',
} as const satisfies ProverTurn;

export const walks = {
  turns: () => [WALK],
  writes: ['tactics'],
  checkedBy: 'lean',
  explainedShare: EXPLAINED_SHARE,
  /** The comparison is of models, so it leaves out exploration. */
  compared: (config) => ({ ...config, walks: { ...config.walks, temperedShare: 0, verifier: null } }),
} satisfies Prover<z.infer<typeof walksProverSchema>>;
