/** Distribution matching of a round (docs/algorithm.md, section 7): embeds conjectures and unproved statements, then weighs the conjectures. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef, CheckpointRef } from '@stp/config/records';
import type { Chosen } from '../../activities/control/choose-conjectures.ts';
import { byOne } from '../nodes/machine-pool.ts';

export interface MatchInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  /** Host queues of the run's machines; one of them does the work. */
  readonly hostQueues: readonly string[];
  readonly chosen: Chosen;
  readonly checkpoint: CheckpointRef;
  readonly config: RunConfig;
}

/** Returns the conjectures that train, with their weights; unchanged if there is nothing to match them to. */
export async function matchConjectures(input: MatchInput): Promise<ArtifactRef> {
  const { run, name, hostQueues, checkpoint, config } = input;
  const { chosen, targets } = input.chosen;
  if (targets === null) return chosen;
  const embed = (folder: string, statements: ArtifactRef, what: string): Promise<ArtifactRef[]> =>
    byOne(hostQueues, `embed ${statements.count} ${what}`, (machine) =>
      machine.embedStatements({
        run,
        name: `${name}/${folder}`,
        statements,
        checkpoint,
        config: { modelThreads: config.modelThreads },
      }),
    );
  const chosenVectors = await embed('conjecture-vectors', chosen, 'conjectures');
  const targetVectors = await embed('target-vectors', targets, 'unproved statements');
  return byOne(hostQueues, `match ${chosen.count} conjectures to ${targets.count} statements`, (machine) =>
    machine.matchConjectures({
      run,
      name,
      config: { conjectures: config.conjectures },
      chosen,
      chosenVectors,
      targets,
      targetVectors,
    }),
  );
}
