/** The prover `walks`: a sample is a walk over proof states, the policy's tactics one after another, without choosing among states. */
import { z } from 'zod';
import { nameStatePrompts, sampledProver, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';
import { verifierShape } from './verifier-scores.ts';

const walksSchema = z.strictObject({
  /** Tactics of a walk, at most. */
  steps: z.number().int().positive().max(256).default(8),
  /** Share of the walks that are sampled at another temperature, to see more. */
  temperedShare: z.number().min(0).max(1).default(0.5),
  /** Its score of the tactic that leads to an open state is a part of that state's reward, four at most to either side. */
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
  /** Compared are the models, not how they explore. */
  compared: (config) => ({ ...config, walks: { ...config.walks, temperedShare: 0, verifier: null } }),
} satisfies Prover<z.infer<typeof walksProverSchema>>;
