/** All activities over one set of ports. Workflows import the types only. */
import { conjectureActivities } from './conjecture.ts';
import { datasetActivities } from './datasets.ts';
import { embedActivities } from './embed.ts';
import { collectActivities, evaluateActivities } from './evaluate.ts';
import { evaluationRunActivities } from './evaluation-run.ts';
import { gateActivities } from './gate.ts';
import { generateActivities } from './generate.ts';
import { libraryActivities } from './library.ts';
import { matchConjecturesActivities } from './match-conjectures.ts';
import { nodeActivities } from './nodes.ts';
import { planActivities } from './plan.ts';
import type { Ports } from './ports.ts';
import { reportActivities } from './report.ts';
import { selectActivities } from './select.ts';
import { takeOverActivities } from './take-over.ts';
import { trainActivities } from './train.ts';
import { verifyActivities } from './verify.ts';
import { verifyShardActivities } from './verify-shard.ts';

/** Short activities that read and write the store: they run on the control queue. */
export function createControlActivities(ports: Ports) {
  return {
    ...datasetActivities(ports),
    ...planActivities(ports),
    ...selectActivities(ports),
    ...evaluateActivities(ports),
    ...takeOverActivities(ports),
    provisionNodes: nodeActivities(ports).provisionNodes,
    releaseNodes: nodeActivities(ports).releaseNodes,
  };
}

/** Activities that need a node's cores, memory, accelerators or Lean: they run on its own queue. */
export function createHostActivities(ports: Ports) {
  return {
    ...trainActivities(ports),
    ...generateActivities(ports),
    ...conjectureActivities(ports),
    ...gateActivities(ports),
    ...libraryActivities(ports),
    ...verifyShardActivities(ports),
    ...verifyActivities(ports),
    ...embedActivities(ports),
    ...matchConjecturesActivities(ports),
    ...collectActivities(ports),
    ...evaluationRunActivities(ports),
    ...reportActivities(ports),
    cleanUpNode: nodeActivities(ports).cleanUpNode,
  };
}

export type ControlActivities = ReturnType<typeof createControlActivities>;
export type HostActivities = ReturnType<typeof createHostActivities>;
