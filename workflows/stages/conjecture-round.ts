/** Makes a round's conjectures: chooses seeds and lemmas, makes texts, and lets the gate admit some. */

import type { CheckpointRef } from '@stp/config/workflow';
import type { Gated } from '../../activities/control/admit-conjectures.ts';
import type { RoundContext } from '../../activities/round/round-context.ts';
import { byOne } from '../nodes/machine-pool.ts';
import { readyNodes } from '../nodes/ready-nodes.ts';
import { conjectureTexts } from './conjecture-texts.ts';
import { gateConjectures } from './gate-conjectures.ts';

export interface ConjectureRoundInput {
  readonly context: RoundContext;
  readonly hostQueues: readonly string[];
  readonly checkpoint: CheckpointRef;
  readonly isOpen: () => boolean;
}

/** Null if there is nothing to conjecture from. */
export async function conjectureRound({
  context,
  hostQueues,
  checkpoint,
  isOpen,
}: ConjectureRoundInput): Promise<Gated | null> {
  const { run, name, history } = context;
  const [plan] = await Promise.all([
    byOne(hostQueues, 'choose seeds and lemmas', (machine) => machine.planConjectures(context)),
    readyNodes(run, hostQueues, checkpoint),
  ]);
  if (plan === null) return null;
  const { prover, sampling, conjectures, seed, modelThreads, verification } = context.config;
  const config = { prover, sampling, conjectures, seed, modelThreads, verification };
  const texts = await conjectureTexts(hostQueues, { run, name, plan, history, checkpoint, config });
  return gateConjectures(hostQueues, { ...context, plan, texts }, isOpen);
}
