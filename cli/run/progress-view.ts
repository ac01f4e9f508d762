/** The live view of a run: a redrawn block on a terminal, otherwise one plain line for each change. */
import { printableText } from '@stp/base';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import { createLogUpdate } from 'log-update';
import type { Progress, Stage } from '../../workflows/control/contracts.ts';

const STAGE_NAMES: Readonly<Record<Stage, string>> = {
  provision: 'getting nodes',
  data: 'preparing data',
  sft: 'training the first model (SFT)',
  round: 'starting a round',
  conjecture: 'conjecturing',
  prove: 'proving',
  select: 'selecting',
  train: 'training',
  retrain: 'retraining on everything found so far',
  evaluate: 'evaluating on held-out statements',
  report: 'writing the report',
  done: 'done',
};
/** Maximum time between plain lines during a stage, ms. */
const PLAIN_LINE_EVERY_MS = 15_000;
/** Minimum wait for which a pending retry is shown, ms. */
const RETRY_SHOWN_MS = 2_000;
const WHY_CHARS_MAX = 300;

interface Snapshot {
  readonly run: Progress;
  readonly round: Progress | null;
  /** Last report of the running activity. */
  readonly activity: Readonly<Record<string, unknown>>;
  /** A failed activity that waits for its retry; null if there is none. */
  readonly retry: { readonly why: string; readonly atMs: number } | null;
}

interface Failure {
  readonly message?: string | null;
  readonly cause?: Failure | null;
  readonly applicationFailureInfo?: { readonly type?: string | null } | null;
}

/** Temporal's facts about an open activity. */
interface PendingActivity {
  readonly lastFailure?: Failure | null;
  readonly nextAttemptScheduleTime?: { readonly seconds?: unknown } | null;
}

/** Queries the run, its round and its running activity; null if there is no answer (a starting worker). */
export async function takeSnapshot(client: Client, workflowId: string): Promise<Snapshot | null> {
  try {
    const run = await client.workflow.getHandle(workflowId).query<Progress>('progress');
    const handle = client.workflow.getHandle(run.child ?? workflowId);
    const round = run.child === null ? null : await handle.query<Progress>('progress');
    const { raw } = await handle.describe();
    const details = (raw.pendingActivities ?? [])
      .map((activity) => activity.heartbeatDetails?.payloads)
      .filter((payloads) => payloads?.length);
    const activity = fromPayloadsAtIndex<Record<string, unknown>>(defaultPayloadConverter, 0, details[0] ?? null) ?? {};
    return { run, round, activity, retry: retryOf(raw.pendingActivities ?? []) };
  } catch {
    return null;
  }
}

/** Returns the failure and the time of the retry that is furthest away; null if no activity waits for one. */
export function retryOf(pending: readonly PendingActivity[]): Snapshot['retry'] {
  const waiting = pending.flatMap(({ lastFailure, nextAttemptScheduleTime: at }) => {
    if (!lastFailure || !at?.seconds) return [];
    let ours: Failure | null | undefined = lastFailure;
    while (ours && !/^STP\d/.test(ours.applicationFailureInfo?.type ?? '')) ours = ours.cause;
    const [why = ''] = (ours ?? lastFailure).message?.split('\n') ?? [];
    return [{ why: printableText(why.slice(0, WHY_CHARS_MAX)), atMs: 1_000 * Number(at.seconds) }];
  });
  return waiting.sort((a, b) => b.atMs - a.atMs)[0] ?? null;
}

const seconds = (ms: number): string => {
  const whole = Math.max(0, Math.round(ms / 1_000));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
};

/** Returns one line about the current work. */
export function describeNow(snapshot: Snapshot, nowMs: number): string {
  const { run, round, activity, retry } = snapshot;
  const at = round ?? run;
  const elapsedMs = nowMs - at.stageStartedAtMs;
  const where = round === null ? '' : round.round === 0 ? 'baseline · ' : `round ${round.round}/${run.rounds} · `;
  const waits = retry !== null && retry.atMs - nowMs >= RETRY_SHOWN_MS;
  const parts = [`${where}${STAGE_NAMES[at.stage]}`];
  if (at.stage === 'prove') {
    parts.push(`shard ${at.shardsDone}/${at.shardsTotal}`, `${at.samples} samples`);
    if (at.verified > 0) {
      parts.push(`${(at.verified / (elapsedMs / 1_000)).toFixed(0)} proofs/s`);
      parts.push(`pass rate ${((100 * at.successes) / at.verified).toFixed(1)} %`);
    }
    if (at.tokens) parts.push(`${at.tokens} tokens${at.cost === undefined ? '' : `, cost ${at.cost.toFixed(2)}`}`);
    if (at.shardsDone > 0)
      parts.push(`${seconds((elapsedMs / at.shardsDone) * (at.shardsTotal - at.shardsDone))} left`);
  } else if (!waits && typeof activity.step === 'number' && typeof activity.steps === 'number') {
    const { step, steps } = activity as { step: number; steps: number };
    parts.push(`step ${step}/${steps}`, `loss ${Number(activity.loss).toFixed(3)}`);
    if (step > 0) parts.push(`${seconds((elapsedMs / step) * (steps - step))} left`);
  }
  parts.push(seconds(elapsedMs));
  if (waits) parts.push(`TRIED AGAIN in ${seconds(retry.atMs - nowMs)}: ${retry.why}`);
  if (run.paused) parts.push('PAUSED');
  if (run.waiting) parts.push(`WAITING: ${run.waiting} (updates retryRound, skipRound, abort)`);
  return parts.join(' · ');
}

function describeSoFar(progress: Progress): string {
  if (progress.provedBaseline === null) return '';
  const steps = [
    `baseline ${progress.provedBaseline}`,
    ...progress.provedPerRound.map((proved, index) => `round ${index + 1}: ${proved}`),
  ];
  return `proved of ${progress.statements}: ${steps.join(' → ')}`;
}

export class ProgressView {
  readonly #redraw: ReturnType<typeof createLogUpdate> | null;
  readonly #stream: NodeJS.WriteStream;
  #lastKey = '';
  #lastLineAtMs = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#redraw = stream.isTTY ? createLogUpdate(stream) : null;
  }

  show(snapshot: Snapshot, nowMs: number): void {
    const now = describeNow(snapshot, nowMs);
    if (this.#redraw) {
      this.#redraw(`${now}\n${describeSoFar(snapshot.run)}`);
      return;
    }
    const at = snapshot.round ?? snapshot.run;
    const key = JSON.stringify([
      snapshot.run.child,
      at.stage,
      at.shardsDone,
      snapshot.run.waiting,
      snapshot.run.paused,
      snapshot.retry?.why,
    ]);
    if (key === this.#lastKey && nowMs - this.#lastLineAtMs < PLAIN_LINE_EVERY_MS) return;
    this.#lastKey = key;
    this.#lastLineAtMs = nowMs;
    this.#stream.write(`${now}\n`);
  }

  /** Prints a permanent line. */
  say(line: string): void {
    this.#redraw?.clear();
    this.#stream.write(`${line}\n`);
  }

  end(): void {
    this.#redraw?.clear();
    this.#redraw?.done();
  }
}
