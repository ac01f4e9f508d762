/** All activities over one set of ports. Workflows import only their types. */

import { collectEvaluationActivities, evaluateActivities } from './evaluation/evaluate.ts';
import { evaluationRunActivities } from './evaluation/evaluation-run.ts';
import { everyNodeActivities } from './nodes/every-node.ts';
import { fleetActivities } from './nodes/fleet.ts';
import { nodeActivities } from './nodes/nodes.ts';
import { provisionActivities } from './nodes/provision.ts';
import { releaseClosedActivities } from './nodes/release-closed.ts';
import type { Ports } from './ports.ts';
import { proofsActivities } from './report/kept-proofs.ts';
import { reportActivities } from './report/report.ts';
import { admitConjecturesActivities } from './round/admit-conjectures.ts';
import { certifiedPartsActivities } from './round/certified-parts.ts';
import { certifyActivities } from './round/certify.ts';
import { conjectureActivities } from './round/conjecture.ts';
import { embedActivities } from './round/embed.ts';
import { exploreActivities } from './round/explore.ts';
import { gateActivities } from './round/gate.ts';
import { generateActivities } from './round/generate.ts';
import { judgeShardActivities } from './round/judge-shard.ts';
import { libraryActivities } from './round/library.ts';
import { matchConjecturesActivities } from './round/match-conjectures.ts';
import { planActivities } from './round/plan.ts';
import { portfolioActivities } from './round/portfolio.ts';
import { readConjecturesActivities } from './round/read-conjectures.ts';
import { reviseShardActivities } from './round/revise-shard.ts';
import { scriptShardActivities } from './round/script-shard.ts';
import { searchShardActivities } from './round/search-shard.ts';
import { selectActivities } from './round/select.ts';
import { verifyShardActivities } from './round/verify-shard.ts';
import { walkShardActivities } from './round/walk-shard.ts';
import { datasetActivities } from './run/datasets.ts';
import { takeOverActivities } from './run/take-over.ts';
import { retentionActivities } from './training/retention.ts';
import { trainActivities } from './training/train.ts';
import { trainLevanterActivities } from './training/train-levanter.ts';
import { trainPartsActivities } from './training/train-parts.ts';

/** Short activities that read and write the store: they run on the control queue. */
export function createControlActivities(ports: Ports) {
  return {
    ...datasetActivities(ports),
    ...planActivities(ports),
    ...admitConjecturesActivities(ports),
    ...certifiedPartsActivities(ports),
    ...judgeShardActivities(ports),
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
    ...reviseShardActivities(ports),
    ...searchShardActivities(ports),
    ...walkShardActivities(ports),
    ...conjectureActivities(ports),
    ...readConjecturesActivities(ports),
    ...libraryActivities(ports),
    ...embedActivities(ports),
    ...matchConjecturesActivities(ports),
    ...collectEvaluationActivities(ports),
    ...evaluationRunActivities(ports),
    ...reportActivities(ports),
    ...createNodeActivities(ports),
  };
}

/** Activities that need Lean and nothing else of a node: they run on the queue that all nodes with Lean share. */
export function createLeanActivities(ports: Ports) {
  return {
    ...exploreActivities(ports),
    ...gateActivities(ports),
    ...scriptShardActivities(ports),
    ...verifyShardActivities(ports),
    ...certifyActivities(ports),
    ...portfolioActivities(ports),
    ...proofsActivities(ports),
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
