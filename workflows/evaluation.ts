/**
 * An evaluation of one model (`stp-evaluate`): statements and model → proofs, sampled and verified in shards as in a
 * round → certificates of the shortest ones → STP's log and the figures.
 */
import {
  ApplicationFailure,
  CancellationScope,
  log,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { EvaluateInput, EvaluationFiles } from '../data/schemas/evaluation.ts';
import type { ShardResult } from '../data/schemas/round.ts';
import { control, host } from './activity-proxies.ts';
import { type Progress, progressQuery, type Stage } from './contracts.ts';
import { proveShards } from './prove-shards.ts';
import { publish } from './search-attributes.ts';
import { StageClock } from './stage-clock.ts';

const FOLDER = 'evaluation';

export async function stpEvaluate(input: EvaluateInput): Promise<EvaluationFiles> {
  const run = evaluationName();
  const title = `**Evaluation ${run}** of ${input.modelName}`;
  const clock = new StageClock();
  const shards: ShardResult[] = [];
  let shardsTotal = 0;
  let statements = 0;
  const sum = (pick: (shard: ShardResult) => number): number => shards.reduce((total, shard) => total + pick(shard), 0);
  setHandler(
    progressQuery,
    (): Progress => ({
      run,
      stage: clock.stage,
      round: 0,
      rounds: 0,
      child: null,
      stageStartedAtMs: clock.startedAtMs,
      shardsDone: shards.length,
      shardsTotal,
      samples: sum((shard) => shard.sampleCount),
      verified: sum((shard) => Object.values(shard.verdictCounts).reduce((a, b) => a + b, 0)),
      successes: sum((shard) => shard.verdictCounts.proved ?? 0),
      statements,
      provedBaseline: null,
      provedPerRound: [],
      paused: false,
      waiting: null,
    }),
    { description: 'Stage, shards, samples, proofs so far.' },
  );
  const enter = (stage: Stage, details: string): void => {
    clock.enter(stage);
    setCurrentDetails(`${title} · ${details}`);
    publish({ run, stage });
  };

  enter('provision', 'getting nodes');
  const [node] = await control('get nodes').provisionNodes(run);
  if (!node) throw ApplicationFailure.nonRetryable('no node was provisioned', 'STP1601');
  const hostQueue = node.taskQueue;
  try {
    await host(hostQueue, 'end what an earlier run of this name left behind').cleanUpNode(run, 'before');
    enter('data', 'taking model and statements');
    const plan = await host(hostQueue, 'model and statements').prepareEvaluation(run, input);
    const { config, checkpoint } = plan;
    shardsTotal = plan.shards.length;
    statements = plan.statements.count;
    publish({ model: checkpoint.model });

    enter('prove', 'sampling proofs and verifying them in Lean');
    const results = await proveShards({
      run,
      hostQueue,
      name: FOLDER,
      shards: plan.shards,
      checkpoint,
      // All samples are drawn: stopping early where a statement was proved would bias pass@k.
      config: { ...config, sampling: { ...config.sampling, waves: 1 } },
      library: null,
      isOpen: () => true,
      onShard: (shard) => {
        shards.push(shard);
        const proved = sum((done) => done.provedStatements);
        setCurrentDetails(`${title} · proving: ${shards.length} of ${shardsTotal} shards, ${proved} statements proved`);
      },
    });

    enter('certify', 'checking the shortest proofs again in a fresh process');
    const collected = await host(hostQueue, 'count proofs').collectEvaluation({
      run,
      name: FOLDER,
      statements: plan.statements,
      samplesPerStatement: config.sampling.samplesPerStatement,
      shards: results,
      model: checkpoint.model,
      round: input.round ?? 0,
      seed: config.seed,
    });
    const certified = await host(hostQueue, `certify ${collected.proved.count} proofs`).certify({
      run,
      name: FOLDER,
      proved: collected.proved,
      library: null,
      config: { verification: config.verification },
    });

    enter('report', 'writing the log and the figures');
    const { proved } = certified;
    const files = await host(hostQueue, 'log and evaluation.json').writeEvaluation({
      run,
      input,
      plan,
      shards: results,
      proved,
    });
    enter('done', 'done');
    return files;
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await host(hostQueue, 'end every Lean process of the run')
        .cleanUpNode(run, 'after')
        .catch((error: unknown) => log.warn('the node could not be cleaned', { error }));
      await control('give the nodes back').releaseNodes(run);
    });
  }
}

/** The name is what follows `stp-evaluate/` in the workflow id; it names a folder, so it must be fit for one. */
function evaluationName(): string {
  const { workflowId } = workflowInfo();
  const name = workflowId.replace(/^stp-evaluate\//, '');
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw ApplicationFailure.nonRetryable(
    `the workflow id "${workflowId.slice(0, 100)}" names no evaluation. Use stp-evaluate/NAME`,
    'STP1002',
  );
}
