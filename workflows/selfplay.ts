/**
 * The run (`stp-selfplay`): data → provision → SFT → baseline → rounds, with retraining between → evaluation → report →
 * nodes given back. A failed round does not fail the run: the run reports it and waits for a person's decision.
 */

import { describeIssues } from '@stp/base';
import {
  type MachineTime,
  type RoundOutcome,
  type RunConfig,
  type StartInput,
  startInputSchema,
} from '@stp/config/workflow';
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  ContinueAsNew,
  condition,
  continueAsNew,
  isCancellation,
  log,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { RunState, SelfplayResult } from '../activities/run/run-state.ts';
import { control, streaming } from './control/activity-proxies.ts';
import { ROUND_TYPE, roundWorkflowId, type Stage, selfplayWorkflowId, setPausedSignal } from './control/contracts.ts';
import { type Attempted, runWithOperatorRetry } from './control/operator-retry.ts';
import { RunControl, type Steered } from './control/run-control.ts';
import { RunStatus } from './control/run-status.ts';
import { byOne } from './nodes/machine-pool.ts';
import type { TimeHeld } from './nodes/machine-time.ts';
import { folderName, type Machines, onNodes } from './nodes/nodes.ts';
import type { HeldNodes } from './nodes/provisioning-steps.ts';
import type { stpRound } from './round.ts';
import { writeProofs } from './stages/beside-the-run.ts';
import { evaluateHeldOut, evaluateRound, isEvaluationDue } from './stages/evaluate.ts';
import { firstState, measurePortfolio, type Settled, settle } from './stages/first-state.ts';
import { isLastRound, isRetrainDue, trainAnew } from './stages/retrain.ts';

/** Rounds in one history; a round takes about a dozen events of the parent. */
const ROUNDS_PER_HISTORY = 20;

/** State that a run carries over a continue-as-new, in addition to its input. */
export interface Carried extends Steered {
  readonly state: RunState;
  /** Cloud machines that the run holds; null if it works on the local machine. */
  readonly held: HeldNodes | null;
}

export async function stpSelfplay(input: StartInput, carried?: Carried): Promise<SelfplayResult> {
  const start = parseInput(input);
  const run = folderName(selfplayWorkflowId(''), 'run', 'Use stp/NAME: up to 64 letters, digits, dots and dashes');
  const steering = new RunControl(carried);
  const status = new RunStatus(run, start.rounds, steering, carried?.state ?? null);
  let continuing = false;
  try {
    // The configuration comes first, because it determines which machines are acquired.
    const config = carried?.state.config ?? (await control('resolve the configuration').prepareRun(run, start));
    const settled = carried === undefined ? await settle(run, start, config, status) : null;
    status.enter('provision', 'getting nodes');
    const context = {
      run,
      nodes: config.nodes,
      carried:
        carried === undefined
          ? null
          : { hostQueues: carried.state.hostQueues, held: carried.held, time: timeOf(carried.state) },
      say: status.note,
    };
    return await onNodes(context, (machines) => {
      const playing = { run, start, input, config, carried, settled, steering, status, machines };
      return play(playing);
    });
  } catch (thrown) {
    continuing = thrown instanceof ContinueAsNew;
    throw thrown;
  } finally {
    if (!continuing) await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

interface Play {
  readonly run: string;
  readonly start: StartInput;
  readonly input: StartInput;
  readonly config: RunConfig;
  readonly carried: Carried | undefined;
  /** Null after a continue-as-new, which carries the state. */
  readonly settled: Settled | null;
  readonly steering: RunControl;
  readonly status: RunStatus;
  readonly machines: Machines;
}

/** Returns the state with its machine time up to now. */
function withTime(state: RunState, until: MachineTime['until'], machines: Machines): RunState {
  return { ...state, machineTime: [...state.machineTime, { until, atMs: Date.now(), ...machines.time }] };
}

/** Returns the machine time at the last moment that the state records. */
function timeOf({ machineTime }: RunState): TimeHeld {
  const { setMs, machineMs } = machineTime.at(-1) ?? { setMs: 0, machineMs: 0 };
  return { setMs, machineMs };
}

/** Plays the run from its first model to its report, on machines that may change meanwhile. */
async function play(playing: Play): Promise<SelfplayResult> {
  const { start, carried, settled, steering } = playing;
  let state = settled === null ? carried!.state : await begin(playing, settled);
  /** Resolves when `proofs.lean` is written; null before that starts. */
  let written: Promise<void> | null = null;
  const historyEnd = state.nextRound + ROUNDS_PER_HISTORY;
  const mayEnd = (): boolean => steering.stopping && state.nextRound > 0;
  while (state.nextRound <= start.rounds && !mayEnd()) {
    if (state.nextRound === historyEnd) await continueInNewHistory(playing, state);
    await condition(() => steering.isOpen() || steering.stopping);
    if (mayEnd()) break;
    const round = state.nextRound;
    state = await playNextRound(playing, state);
    const retrained = await retrainWhenDue(playing, state, round);
    state = retrained.state;
    written = retrained.written ?? written;
    state = await evaluateWhenDue(playing, state, round, written);
    state = await keepState(playing, state, round);
  }
  return conclude(playing, state, written);
}

/** Runs work on whose failure a person decides; runs it again on other machines if these are lost. */
function attempt<T>(
  { steering, status, machines }: Play,
  state: RunState,
  stage: Stage,
  label: string,
  work: (on: RunState) => Promise<T>,
): Promise<Attempted<T>> {
  return runWithOperatorRetry(stage, label, steering, status, () =>
    machines.use((hostQueues) => work({ ...state, hostQueues })),
  );
}

/** Prepares and stores the state before the first round. */
async function begin({ run, config, status, machines }: Play, from: Settled): Promise<RunState> {
  const measured = measurePortfolio(run, config, from);
  const first = await machines.use(async (hostQueues) => {
    const made = await firstState(run, config, from, hostQueues, status);
    await measured;
    return made;
  });
  const state = withTime(first, 'start', machines);
  await control('keep the state').saveState(run, state);
  return state;
}

async function continueInNewHistory({ input, steering, status, machines }: Play, state: RunState): Promise<never> {
  await condition(allHandlersFinished);
  const { paused, stopping } = steering;
  const carried = { ...state, secondsPerStage: status.clock.close() };
  return continueAsNew<typeof stpSelfplay>(input, { state: carried, held: machines.held, paused, stopping });
}

async function playNextRound(playing: Play, state: RunState): Promise<RunState> {
  const { run, steering, status } = playing;
  status.show(state, state.nextRound);
  const played = await attempt(playing, state, 'round', roundLabel(state), (on) => playRound(run, on, steering));
  return afterRound(state, played, status);
}

/** @param written the writing of `proofs.lean`, beside the last retraining */
async function retrainWhenDue(
  playing: Play,
  state: RunState,
  round: number,
): Promise<{ readonly state: RunState; readonly written: Promise<void> | null }> {
  const { run, steering, status } = playing;
  if (!isRetrainDue(state, round, steering.stopping)) return { state, written: null };
  status.show(state, round);
  const written = isLastRound(state, round, steering.stopping) ? writeProofs(run, state) : null;
  const label = 'retraining on everything found so far';
  const retrained = await attempt(playing, state, 'retrain', label, (on) => trainAnew(run, on, round));
  return { state: withFailures(retrained.result ?? state, retrained.failures), written };
}

async function evaluateWhenDue(
  playing: Play,
  state: RunState,
  round: number,
  written: Promise<void> | null,
): Promise<RunState> {
  const { run, steering } = playing;
  if (!isEvaluationDue(state, round)) return state;
  // An evaluation ends Lean, so `proofs.lean` must be finished.
  await written;
  const label = `evaluating the model after round ${round} on held-out statements`;
  const evaluated = await attempt(playing, state, 'evaluate', label, (on) =>
    evaluateRound(run, on, round, steering.isOpen),
  );
  const after = withFailures(state, evaluated.failures);
  return evaluated.result === null ? after : { ...after, evaluations: [...after.evaluations, evaluated.result] };
}

/** Stores the state after a round, and drops checkpoints that are no longer needed. */
async function keepState({ run, status, machines }: Play, state: RunState, round: number): Promise<RunState> {
  const timed = withTime(state, round, machines);
  status.show(timed, round);
  await control('keep the state').saveState(run, { ...timed, secondsPerStage: status.clock.close() });
  const { retention } = timed.config;
  if (retention.lastRounds === null) return timed;
  const inUse = [timed.sft.checkpoint, timed.checkpoint];
  await streaming('drop checkpoints that are not kept')
    .dropCheckpoints({ run, retention, round, inUse })
    .catch((error: unknown) => {
      if (isCancellation(error)) throw error;
      // Superfluous checkpoints are no reason to end a run.
      log.warn('old checkpoints could not be dropped', { error });
    });
  return timed;
}

/** Runs the last evaluation and writes the report. */
async function conclude(playing: Play, state: RunState, written: Promise<void> | null): Promise<SelfplayResult> {
  const { run, steering, status, machines } = playing;
  status.show(state);
  const label = 'comparing the first and the last model on held-out statements';
  const evaluated = await attempt(playing, state, 'evaluate', label, (on) =>
    // A paused run that was told to stop ends without waiting.
    evaluateHeldOut(run, on, () => steering.isOpen() || steering.stopping, written),
  );
  await written;
  const final = withFailures(state, evaluated.failures);
  const reported = await attempt(playing, final, 'report', 'writing summary, proofs and report', (on) =>
    byOne(on.hostQueues, 'summary, proofs.lean, report.html', (machine) =>
      machine.writeReport({
        run,
        state: { ...withTime(final, 'report', machines), secondsPerStage: status.clock.close() },
        evaluation: evaluated.result,
      }),
    ),
  );
  if (reported.result === null)
    throw ApplicationFailure.nonRetryable('the report was given up; all rounds are kept', 'STP_ABORTED');
  status.enter('done', 'done');
  return reported.result;
}

/** Returns the state after the next round, played or skipped. */
function afterRound(state: RunState, played: Attempted<RoundOutcome>, status: RunStatus): RunState {
  const after = { ...withFailures(state, played.failures), nextRound: state.nextRound + 1 };
  const outcome = played.result;
  if (outcome === null) return { ...after, skipped: [...state.skipped, state.nextRound] };
  status.clock.add(outcome.secondsPerStage);
  return { ...after, checkpoint: outcome.checkpoint, outcomes: [...state.outcomes, outcome] };
}

const withFailures = (state: RunState, failures: RunState['failures']): RunState => ({
  ...state,
  failures: [...state.failures, ...failures],
});

/** Plays one round as a child workflow. */
async function playRound(run: string, state: RunState, steering: RunControl): Promise<RoundOutcome> {
  const { config, data, sft, checkpoint, replayFrom, nextRound: round } = state;
  const history = state.outcomes.map((outcome) => outcome.manifest);
  const context = { run, round, config, data, history, replayFrom };
  const { paused } = steering;
  const child = await startChild<typeof stpRound>(ROUND_TYPE, {
    workflowId: roundWorkflowId(run, round),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    staticSummary: roundLabel(state),
    args: [{ ...context, hostQueues: state.hostQueues, checkpoint, sftCheckpoint: sft.checkpoint, paused }],
  });
  steering.child = child.workflowId;
  try {
    // The pause changed while the round was starting and could not be signalled.
    if (steering.paused !== paused) await child.signal(setPausedSignal, steering.paused);
    return await child.result();
  } finally {
    steering.child = null;
  }
}

const roundLabel = ({ nextRound, config }: RunState): string =>
  nextRound === 0 ? 'baseline: what the SFT model proves' : `round ${nextRound} of ${config.rounds}`;

function parseInput(input: unknown): StartInput {
  const parsed = startInputSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, 'input');
  throw ApplicationFailure.nonRetryable(`${issues}. Start with {"rounds": N}, N from 1 to 1000.`, 'STP1002');
}
