/** Distribution matching of a round (STP §2.8): embeds conjectures and unproved statements, then weighs the conjectures. */
import type { Chosen } from '../../activities/round/choose-conjectures.ts';
import type { ArtifactRef, CheckpointRef } from '../../data/schemas/artifact.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import { host } from '../control/activity-proxies.ts';

export interface MatchInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly hostQueue: string;
  readonly chosen: Chosen;
  readonly checkpoint: CheckpointRef;
  readonly config: RunConfig;
}

/** The conjectures that train, weighed; as they were where there is nothing to match them to. */
export async function matchConjectures(input: MatchInput): Promise<ArtifactRef> {
  const { run, name, hostQueue, checkpoint, config } = input;
  const { chosen, targets } = input.chosen;
  if (targets === null) return chosen;
  const embed = (folder: string, statements: ArtifactRef, what: string): Promise<ArtifactRef[]> =>
    host(hostQueue, `embed ${statements.count} ${what}`).embedStatements({
      run,
      name: `${name}/${folder}`,
      statements,
      checkpoint,
      config: { modelThreads: config.modelThreads },
    });
  const chosenVectors = await embed('conjecture-vectors', chosen, 'conjectures');
  const targetVectors = await embed('target-vectors', targets, 'unproved statements');
  return host(hostQueue, `match ${chosen.count} conjectures to ${targets.count} statements`).matchConjectures({
    run,
    name,
    config: { conjectures: config.conjectures },
    chosen,
    chosenVectors,
    targets,
    targetVectors,
  });
}
