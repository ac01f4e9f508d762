/**
 * All activities over one set of ports. Each file holds one activity. A folder is a task queue or a method (`provers/`,
 * `conjecturers/`). Workflows import only the types of activities.
 */

import { conjecturerHostActivities, conjecturerLeanActivities } from './conjecturers/index.ts';
import { admitConjecturesActivity } from './control/admit-conjectures.ts';
import { checkNodesActivity } from './control/check-nodes.ts';
import { chooseConjecturesActivity } from './control/choose-conjectures.ts';
import { collectRoundActivity } from './control/collect-round.ts';
import { countWorkersActivity } from './control/count-workers.ts';
import { dropCheckpointsActivity } from './control/drop-checkpoints.ts';
import { findHostsActivity } from './control/find-hosts.ts';
import { finishRoundActivity } from './control/finish-round.ts';
import { joinPassesActivity } from './control/join-passes.ts';
import { nodesStateActivity } from './control/nodes-state.ts';
import { planEvaluationActivity } from './control/plan-evaluation.ts';
import { planShardsActivity } from './control/plan-shards.ts';
import { prepareDataActivity } from './control/prepare-data.ts';
import { prepareRunActivity } from './control/prepare-run.ts';
import { provisionNodesActivity } from './control/provision-nodes.ts';
import { releaseClosedRunsActivity } from './control/release-closed-runs.ts';
import { releaseCloudNodesActivity } from './control/release-cloud-nodes.ts';
import { releaseNodesActivity } from './control/release-nodes.ts';
import { requestNodesActivity } from './control/request-nodes.ts';
import { retrainSetActivity } from './control/retrain-set.ts';
import { rewardRoundActivity } from './control/reward-round.ts';
import { saveStateActivity } from './control/save-state.ts';
import { takeOverActivity } from './control/take-over.ts';
import { watchNodesActivity } from './control/watch-nodes.ts';
import { cleanUpNodeActivity } from './every-node/clean-up-node.ts';
import { copyCheckpointActivity } from './every-node/copy-checkpoint.ts';
import { runOnNodeActivity } from './every-node/run-on-node.ts';
import { sweepNodeActivity } from './every-node/sweep-node.ts';
import { collectEvaluationActivity } from './host/collect-evaluation.ts';
import { dropTrainingStatesActivity } from './host/drop-training-states.ts';
import { embedStatementsActivity } from './host/embed-statements.ts';
import { finishLevanterActivity } from './host/finish-levanter.ts';
import { growLibraryActivity } from './host/grow-library.ts';
import { matchConjecturesActivity } from './host/match-conjectures.ts';
import { meetToTrainActivity } from './host/meet-to-train.ts';
import { planConjecturesActivity } from './host/plan-conjectures.ts';
import { prepareEvaluationActivity } from './host/prepare-evaluation.ts';
import { prepareLevanterActivity } from './host/prepare-levanter.ts';
import { readConjecturesActivity } from './host/read-conjectures.ts';
import { trainByLevanterActivity } from './host/train-by-levanter.ts';
import { trainModelActivity } from './host/train-model.ts';
import { trainPartActivity } from './host/train-part.ts';
import { writeEvaluationActivity } from './host/write-evaluation.ts';
import { writeReportActivity } from './host/write-report.ts';
import { gateConjecturesActivity } from './lean/gate-conjectures.ts';
import { measurePortfolioActivity } from './lean/measure-portfolio.ts';
import { verifyShardActivity } from './lean/verify-shard.ts';
import { writeProofsActivity } from './lean/write-proofs.ts';
import type { Ports } from './ports.ts';
import { proverControlActivities, proverHostActivities, proverLeanActivities } from './provers/index.ts';

/** The activities of `control/`, on the control queue: short work that reads and writes the store. */
export function createControlActivities(ports: Ports) {
  return {
    ...proverControlActivities(ports),
    ...admitConjecturesActivity(ports),
    ...checkNodesActivity(ports),
    ...chooseConjecturesActivity(ports),
    ...collectRoundActivity(ports),
    ...countWorkersActivity(),
    ...dropCheckpointsActivity(ports),
    ...findHostsActivity(),
    ...finishRoundActivity(ports),
    ...joinPassesActivity(ports),
    ...nodesStateActivity(ports),
    ...planEvaluationActivity(ports),
    ...planShardsActivity(ports),
    ...prepareDataActivity(ports),
    ...prepareRunActivity(ports),
    ...provisionNodesActivity(ports),
    ...releaseClosedRunsActivity(ports),
    ...releaseCloudNodesActivity(ports),
    ...releaseNodesActivity(ports),
    ...requestNodesActivity(ports),
    ...retrainSetActivity(ports),
    ...rewardRoundActivity(ports),
    ...saveStateActivity(ports),
    ...takeOverActivity(ports),
    ...watchNodesActivity(ports),
  };
}

/**
 * The activities of `host/`, on a machine's host queue with those of `every-node/`: long work that takes a machine's
 * cores, memory, disk or accelerators. `planConjectures` and `growLibrary` are among them, since they read all earlier
 * proofs or compile modules.
 */
export function createHostActivities(ports: Ports) {
  return {
    ...proverHostActivities(ports),
    ...conjecturerHostActivities(ports),
    ...collectEvaluationActivity(ports),
    ...dropTrainingStatesActivity(ports),
    ...embedStatementsActivity(ports),
    ...finishLevanterActivity(ports),
    ...growLibraryActivity(ports),
    ...matchConjecturesActivity(ports),
    ...meetToTrainActivity(ports),
    ...planConjecturesActivity(ports),
    ...prepareEvaluationActivity(ports),
    ...prepareLevanterActivity(ports),
    ...readConjecturesActivity(ports),
    ...trainByLevanterActivity(ports),
    ...trainModelActivity(ports),
    ...trainPartActivity(ports),
    ...writeEvaluationActivity(ports),
    ...writeReportActivity(ports),
    ...createNodeActivities(ports),
  };
}

/** The activities of `lean/`, on the queue that all nodes with Lean share: they need only Lean. */
export function createLeanActivities(ports: Ports) {
  return {
    ...proverLeanActivities(ports),
    ...conjecturerLeanActivities(ports),
    ...gateConjecturesActivity(ports),
    ...measurePortfolioActivity(ports),
    ...verifyShardActivity(ports),
    ...writeProofsActivity(ports),
  };
}

/** The activities of `every-node/`, on every node's host queue: they act on the node itself. */
export function createNodeActivities(ports: Ports) {
  return {
    ...cleanUpNodeActivity(ports),
    ...copyCheckpointActivity(ports),
    ...runOnNodeActivity(ports),
    ...sweepNodeActivity(ports),
  };
}

export type ControlActivities = ReturnType<typeof createControlActivities>;
export type HostActivities = ReturnType<typeof createHostActivities>;
export type LeanActivities = ReturnType<typeof createLeanActivities>;
export type NodeActivities = ReturnType<typeof createNodeActivities>;
