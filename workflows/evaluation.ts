/**
 * An evaluation of one model (`stp-evaluate`): samples and judges proofs of the statements in shards as a round does,
 * then writes STP's log and the figures.
 */

import {
  type EvaluateInput,
  type EvaluationFiles,
  evaluationConfig,
  type RunConfig,
  type ShardResult,
  withoutScripts,
} from '@stp/config/workflow';
import { CancellationScope, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { host } from './control/activity-proxies.ts';
import { type Progress, progressQuery, type Stage } from './control/contracts.ts';
import { publish } from './control/search-attributes.ts';
import { ShardTally } from './control/shard-tally.ts';
import { StageClock } from './control/stage-clock.ts';
import { cleanBefore, folderName, getNode, giveNodesBack, onNodes } from './nodes/nodes.ts';
import { proveShards } from './stages/prove-shards.ts';

const FOLDER = 'evaluation';

export async function stpEvaluate(input: EvaluateInput): Promise<EvaluationFiles> {
  const run = folderName('stp-evaluate/', 'evaluation', 'Use stp-evaluate/NAME');
  const title = `**Evaluation ${run}** of ${input.modelName}`;
  const clock = new StageClock();
  const shards = new ShardTally();
  let price: RunConfig['sampling']['price'];
  let statements = 0;
  setHandler(
    progressQuery,
    (): Progress => ({
      run,
      stage: clock.stage,
      round: 0,
      rounds: 0,
      child: null,
      stageStartedAtMs: clock.startedAtMs,
      ...shards.figures(),
      ...shards.spent(price),
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
  const hostQueue = await getNode(run);
  try {
    await cleanBefore(run, hostQueue);
    enter('data', 'taking model and statements');
    const plan = await host(hostQueue, 'model and statements').prepareEvaluation(run, input);
    const { config, checkpoint } = plan;
    statements = plan.statements.count;
    price = config.sampling.price;
    publish({ model: checkpoint.model });

    enter('prove', 'sampling proofs and verifying them in Lean');
    const prove = (hostQueues: readonly string[]): Promise<ShardResult[]> => {
      // Work repeated on other machines finds the finished shards and counts them again.
      shards.begin(plan.shards.length);
      return proveShards({
        run,
        hostQueues,
        name: FOLDER,
        shards: plan.shards,
        checkpoint,
        config: withoutScripts(evaluationConfig(config, config.sampling.samplesPerStatement)),
        library: plan.library ?? null,
        isOpen: () => true,
        onShard: (shard) => {
          shards.add(shard);
          const { shardsDone, shardsTotal } = shards.figures();
          const proved = shards.sum((done) => done.provedStatements);
          const { tokens, cost } = shards.spent(price);
          const spent = `${tokens} tokens of answers${cost === undefined ? '' : `, cost ${cost.toFixed(2)}`}`;
          setCurrentDetails(
            `${title} · proving: ${shardsDone} of ${shardsTotal} shards, ${proved} statements proved, ${spent}`,
          );
        },
      });
    };
    const say = (line: string): void => setCurrentDetails(`${title} · ${line}`);
    // The machine that took the model in does all the work, or the configured machines share the sampling.
    const results =
      config.nodes.provider === 'local'
        ? await prove([hostQueue])
        : await onNodes({ run, nodes: config.nodes, carried: null, say }, (machines) => machines.use(prove));

    const collected = await host(hostQueue, 'count proofs').collectEvaluation({
      run,
      name: FOLDER,
      statements: plan.statements,
      samplesPerStatement: config.sampling.samplesPerStatement,
      shards: results,
      withScripts: false,
      model: checkpoint.model,
      round: input.round ?? 0,
      seed: config.seed,
    });
    enter('report', 'writing the log and the figures');
    const files = await host(hostQueue, 'log and evaluation.json').writeEvaluation({
      run,
      input,
      plan,
      shards: results,
      proved: collected.proved,
    });
    enter('done', 'done');
    return files;
  } finally {
    await CancellationScope.nonCancellable(() => giveNodesBack(run, hostQueue));
  }
}
