/** The public status of an evaluation: current details, search attributes, and the answer to `progress`. */
import type { EvaluationPlan, RunConfig, ShardResult } from '@stp/config/workflow';
import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import { type Progress, progressQuery, type Stage } from './contracts.ts';
import { publish } from './search-attributes.ts';
import { ShardTally } from './shard-tally.ts';
import { StageClock } from './stage-clock.ts';

export class EvaluationStatus {
  readonly #run: string;
  readonly #title: string;
  readonly #clock = new StageClock();
  readonly #shards = new ShardTally();
  #price: RunConfig['sampling']['price'] = null;
  #statements = 0;

  constructor(run: string, modelName: string) {
    this.#run = run;
    this.#title = `**Evaluation ${run}** of ${modelName}`;
    setHandler(
      progressQuery,
      (): Progress => ({
        run,
        stage: this.#clock.stage,
        round: 0,
        rounds: 0,
        child: null,
        stageStartedAtMs: this.#clock.startedAtMs,
        ...this.#shards.figures(),
        ...this.#shards.spent(this.#price),
        statements: this.#statements,
        provedBaseline: null,
        provedPerRound: [],
        paused: false,
        waiting: null,
      }),
      { description: 'Stage, shards, samples, proofs so far.' },
    );
  }

  /** Enters a stage: starts its clock and updates the UI and the search attributes. */
  enter(stage: Stage, details: string): void {
    this.#clock.enter(stage);
    this.note(details);
    publish({ run: this.#run, stage });
  }

  /** Shows a line, until the next one. */
  readonly note = (line: string): void => setCurrentDetails(`${this.#title} · ${line}`);

  /** Shows the plan's model and number of statements, and costs at its price, from now on. */
  show({ config, checkpoint, statements }: EvaluationPlan): void {
    this.#statements = statements.count;
    this.#price = config.sampling.price;
    publish({ model: checkpoint.model });
  }

  beginShards(total: number): void {
    this.#shards.begin(total);
  }

  addShard(shard: ShardResult): void {
    this.#shards.add(shard);
    const { shardsDone, shardsTotal } = this.#shards.figures();
    const proved = this.#shards.sum((done) => done.provedStatements);
    const { tokens, cost } = this.#shards.spent(this.#price);
    const spent = `${tokens} tokens of answers${cost === undefined ? '' : `, cost ${cost.toFixed(2)}`}`;
    this.note(`proving: ${shardsDone} of ${shardsTotal} shards, ${proved} statements proved, ${spent}`);
  }
}
