/**
 * An evaluation of one model (`stp-evaluate`): samples and judges proofs of the statements in shards as a round does,
 * then writes STP's log and the figures.
 */

import {
  type EvaluateInput,
  type EvaluationFiles,
  type EvaluationPlan,
  evaluationConfig,
  type ShardResult,
  withoutScripts,
} from '@stp/config/workflow';
import { CancellationScope } from '@temporalio/workflow';
import { host } from './control/activity-proxies.ts';
import { evaluateWorkflowId } from './control/contracts.ts';
import { EvaluationStatus } from './control/evaluation-status.ts';
import { cleanBefore, folderName, getNode, giveNodesBack, onNodes } from './nodes/nodes.ts';
import { proveShards } from './stages/prove-shards.ts';

const FOLDER = 'evaluation';

export async function stpEvaluate(input: EvaluateInput): Promise<EvaluationFiles> {
  const run = folderName(evaluateWorkflowId(''), 'evaluation', 'Use stp-evaluate/NAME');
  const status = new EvaluationStatus(run, input.modelName);
  status.enter('provision', 'getting nodes');
  const hostQueue = await getNode(run);
  try {
    await cleanBefore(run, hostQueue);
    status.enter('data', 'taking model and statements');
    const plan = await host(hostQueue, 'model and statements').prepareEvaluation(run, input);
    const { config, checkpoint } = plan;
    status.show(plan);

    status.enter('prove', 'sampling proofs and verifying them in Lean');
    const prove = (hostQueues: readonly string[]) => provePlanned(run, plan, hostQueues, status);
    const { note } = status;
    // The machine that took the model in does all the work, or the configured machines share the sampling.
    const shards =
      config.nodes.provider === 'local'
        ? await prove([hostQueue])
        : await onNodes({ run, nodes: config.nodes, carried: null, say: note }, (machines) => machines.use(prove));

    const collected = await host(hostQueue, 'count proofs').collectEvaluation({
      run,
      name: FOLDER,
      statements: plan.statements,
      samplesPerStatement: config.sampling.samplesPerStatement,
      shards,
      withScripts: false,
      model: checkpoint.model,
      round: input.round ?? 0,
      seed: config.seed,
    });
    status.enter('report', 'writing the log and the figures');
    const files = await host(hostQueue, 'log and evaluation.json').writeEvaluation({
      run,
      input,
      plan,
      shards,
      proved: collected.proved,
    });
    status.enter('done', 'done');
    return files;
  } finally {
    await CancellationScope.nonCancellable(() => giveNodesBack(run, hostQueue));
  }
}

/** Proves the statements of the plan on these machines. */
function provePlanned(
  run: string,
  { config, checkpoint, shards, library }: EvaluationPlan,
  hostQueues: readonly string[],
  status: EvaluationStatus,
): Promise<ShardResult[]> {
  // Work repeated on other machines finds the finished shards and counts them again.
  status.beginShards(shards.length);
  return proveShards({
    run,
    hostQueues,
    name: FOLDER,
    shards,
    checkpoint,
    config: withoutScripts(evaluationConfig(config, config.sampling.samplesPerStatement)),
    library: library ?? null,
    isOpen: () => true,
    onShard: (shard) => status.addShard(shard),
  });
}
