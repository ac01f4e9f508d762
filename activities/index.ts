/** All activities over one set of ports. Workflows import the types only. */
import { admitConjecturesActivities } from './admit-conjectures.ts';
import { certifiedPartsActivities } from './certified-parts.ts';
import { conjectureActivities } from './conjecture.ts';
import { datasetActivities } from './datasets.ts';
import { embedActivities } from './embed.ts';
import { collectActivities, evaluateActivities } from './evaluate.ts';
import { evaluationRunActivities } from './evaluation-run.ts';
import { everyNodeActivities } from './every-node.ts';
import { fleetActivities } from './fleet.ts';
import { gateActivities } from './gate.ts';
import { generateActivities } from './generate.ts';
import { libraryActivities } from './library.ts';
import { matchConjecturesActivities } from './match-conjectures.ts';
import { nodeActivities } from './nodes.ts';
import { planActivities } from './plan.ts';
import { portfolioActivities } from './portfolio.ts';
import type { Ports } from './ports.ts';
import { provisionActivities } from './provision.ts';
import { readConjecturesActivities } from './read-conjectures.ts';
import { releaseClosedActivities } from './release-closed.ts';
import { reportActivities } from './report.ts';
import { retentionActivities } from './retention.ts';
import { selectActivities } from './select.ts';
import { takeOverActivities } from './take-over.ts';
import { trainActivities } from './train.ts';
import { trainLevanterActivities } from './train-levanter.ts';
import { trainPartsActivities } from './train-parts.ts';
import { verifyActivities } from './verify.ts';
import { verifyShardActivities } from './verify-shard.ts';

/** Short activities that read and write the store: they run on the control queue. */
export function createControlActivities(ports: Ports) {
  return {
    ...datasetActivities(ports),
    ...planActivities(ports),
    ...admitConjecturesActivities(ports),
    ...certifiedPartsActivities(ports),
    ...selectActivities(ports),
    ...evaluateActivities(ports),
    ...takeOverActivities(ports),
    ...retentionActivities(ports),
    ...fleetActivities(),
    ...provisionActivities(ports),
    ...releaseClosedActivities(ports),
    provisionNodes: nodeActivities(ports).provisionNodes,
    releaseNodes: nodeActivities(ports).releaseNodes,
  };
}

/** Activities that need a node's cores, memory, disk or accelerators: they run on its own queue. */
export function createHostActivities(ports: Ports) {
  return {
    ...trainActivities(ports),
    ...trainPartsActivities(ports),
    ...trainLevanterActivities(ports),
    ...generateActivities(ports),
    ...conjectureActivities(ports),
    ...readConjecturesActivities(ports),
    ...libraryActivities(ports),
    ...embedActivities(ports),
    ...matchConjecturesActivities(ports),
    ...collectActivities(ports),
    ...evaluationRunActivities(ports),
    ...reportActivities(ports),
    ...createNodeActivities(ports),
  };
}

/** Activities that need Lean and nothing else of a node: they run on the queue that all nodes with Lean share. */
export function createLeanActivities(ports: Ports) {
  return {
    ...gateActivities(ports),
    ...verifyShardActivities(ports),
    ...verifyActivities(ports),
    ...portfolioActivities(ports),
  };
}

/** Activities that are about a node itself: every node's own queue has them. */
export function createNodeActivities(ports: Ports) {
  const { cleanUpNode, sweepNode } = nodeActivities(ports);
  return { cleanUpNode, sweepNode, ...everyNodeActivities(ports) };
}

export type ControlActivities = ReturnType<typeof createControlActivities>;
export type HostActivities = ReturnType<typeof createHostActivities>;
export type LeanActivities = ReturnType<typeof createLeanActivities>;
export type NodeActivities = ReturnType<typeof createNodeActivities>;
