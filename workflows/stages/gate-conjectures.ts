/**
 * Selects a round's conjectures from the conjecturer's texts: one machine reads them, all nodes with Lean gate them in
 * parts, and they are admitted in the plan's order until the round is full. No further part is started once the round
 * is full.
 */

import { partFolder } from '@stp/config/workflow';
import type { Gated } from '../../activities/control/admit-conjectures.ts';
import type { ReadConjecturesInput } from '../../activities/host/read-conjectures.ts';
import type { GatedPart } from '../../activities/round/gate-parts.ts';
import { lean, streaming } from '../control/activity-proxies.ts';
import { ConcurrencyLimit } from '../nodes/concurrency-limit.ts';
import { allPieces, piecesAtOnce } from '../nodes/lean-nodes.ts';
import { byOne } from '../nodes/machine-pool.ts';

export async function gateConjectures(
  hostQueues: readonly string[],
  input: ReadConjecturesInput,
  isOpen: () => boolean,
): Promise<Gated> {
  const { run, round, name, config, library, texts } = input;
  const read = await byOne(hostQueues, `read ${texts.count} texts of the conjecturer`, (machine) =>
    machine.readConjectures(input),
  );
  const inFlight = await piecesAtOnce();
  const limit = new ConcurrencyLimit(inFlight, isOpen);
  let standing = 0;
  const gate = async (index: number): Promise<GatedPart | null> => {
    if (standing >= read.attemptsMax) return null;
    const conjectures = read.parts[index]!;
    const label = `gate ${conjectures.count} conjectures, part ${index + 1} of ${read.parts.length}`;
    const { conjectures: conjecturing, verification } = config;
    const gated = await lean(label, inFlight).gateConjectures({
      run,
      name: partFolder(name, 'gate', index),
      conjectures,
      library,
      config: { conjectures: conjecturing, verification },
    });
    standing += gated.standing.count;
    return gated;
  };
  const gated = await allPieces(() => read.parts.map((_, index) => limit.run(() => gate(index))));
  return streaming('admit conjectures').admitConjectures({ run, round, name, read, gated });
}
