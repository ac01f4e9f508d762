/** The public status of a run: current details, search attributes, and the answer to `progress`. */

import type { RoundOutcome } from '@stp/config/records';
import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { type Progress, progressQuery, type Stage } from './contracts.ts';
import type { RunControl } from './run-control.ts';
import { publish } from './search-attributes.ts';
import { StageClock } from './stage-clock.ts';

export class RunStatus {
  readonly clock: StageClock;
  /** Null until data and SFT are done. */
  #state: RunState | null;
  #current: number;
  readonly #run: string;

  constructor(run: string, rounds: number, control: RunControl, carried: RunState | null) {
    this.#run = run;
    this.#state = carried;
    this.#current = carried?.nextRound ?? 0;
    this.clock = new StageClock(carried?.secondsPerStage);
    setHandler(
      progressQuery,
      (): Progress => ({
        run,
        stage: this.clock.stage,
        round: this.#current,
        rounds,
        child: control.child,
        stageStartedAtMs: this.clock.startedAtMs,
        shardsDone: 0,
        shardsTotal: 0,
        samples: this.#sum((outcome) => outcome.counts.samples),
        verified: this.#sum((outcome) => Object.values(outcome.counts.verdicts).reduce((a, b) => a + b, 0)),
        successes: this.#sum((outcome) => outcome.counts.verdicts.proved ?? 0),
        statements: this.#state?.data.train.count ?? 0,
        provedBaseline: this.#outcomes.find((outcome) => outcome.round === 0)?.counts.provedEver ?? null,
        provedPerRound: this.#outcomes
          .filter((outcome) => outcome.round > 0)
          .map((outcome) => outcome.counts.provedEver),
        paused: control.paused,
        waiting: control.failure,
      }),
      { description: 'Stage, round, shards, samples, proofs so far.' },
    );
  }

  /** The round that is played, or was played last. */
  get round(): number {
    return this.#current;
  }

  /** Shows a state from now on, of the given round; without one, of the round shown before. */
  show(state: RunState, round = this.#current): void {
    this.#state = state;
    this.#current = round;
  }

  /** Enters a stage: starts its clock and updates the UI and the search attributes. */
  enter(stage: Stage, details: string): void {
    this.clock.enter(stage);
    setCurrentDetails(`**Run ${this.#run}** · ${details}\n\n${this.#soFar()}`);
    const statements = this.#state?.data.train.count ?? 0;
    publish({
      run: this.#run,
      round: this.#current,
      stage,
      ...(this.#state === null ? {} : { model: this.#state.checkpoint.model }),
      ...(statements === 0 ? {} : { passRate: (this.#outcomes.at(-1)?.counts.provedEver ?? 0) / statements }),
    });
  }

  /** Shows a line beside the stage, until the next stage is entered. */
  readonly note = (line: string): void => setCurrentDetails(`**Run ${this.#run}** · ${line}\n\n${this.#soFar()}`);

  get #outcomes(): readonly RoundOutcome[] {
    return this.#state?.outcomes ?? [];
  }

  #sum(pick: (outcome: RoundOutcome) => number): number {
    return this.#outcomes.reduce((sum, outcome) => sum + pick(outcome), 0);
  }

  /** Returns one line for each finished round; only the last dozen, since details have a size limit. */
  #soFar(): string {
    const statements = this.#state?.data.train.count ?? 0;
    return this.#outcomes
      .slice(-12)
      .map(({ round, counts }) => {
        const proved = `${counts.provedEver} of ${statements} statements proved`;
        const conjectures = `conjectures: ${counts.conjecturesMade} made, ${counts.conjecturesProved} proved, ${counts.conjecturesKept} kept`;
        return round === 0 ? `- baseline: ${proved}` : `- round ${round}: ${proved}; ${conjectures}`;
      })
      .join('\n');
  }
}
