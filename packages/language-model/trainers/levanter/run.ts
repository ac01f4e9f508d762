/**
 * Runs Levanter's main program as a local process: keeps its log, reports its steps, ends it with all its children.
 */
import { createInterface } from 'node:readline';
import { StpError } from '@stp/base';
import { CappedLog } from '../../process/capped-log.ts';
import { ProcessGroup } from '../../process/process-group.ts';
import type { TrainProgress } from '../../trainer.ts';
import { type LevanterMetrics, parseMetricsLine } from './metrics-log.ts';

/** Share of the last steps over which the final loss is averaged. */
const FINAL_LOSS_SHARE = 0.1;

export interface MetricsListener {
  onProgress(progress: TrainProgress): void;
  /** Reports the held-out loss of the weights after `step` steps. Levanter logs it in a separate line. */
  onHeldOut(step: number, loss: number): void;
}

/** Collects steps from Levanter's log. A resumed training does not log the earlier steps. */
export class StepMetrics {
  readonly #steps: number;
  readonly #hears: MetricsListener;
  #speed = 0;
  #norm = 0;
  readonly #losses: { readonly step: number; readonly loss: number }[] = [];

  constructor(steps: number, listener: MetricsListener) {
    this.#steps = steps;
    this.#hears = listener;
  }

  take({ step, loss, gradientNorm, tokensPerSecond, heldOutLoss }: LevanterMetrics): void {
    if (heldOutLoss !== null) this.#hears.onHeldOut(step, heldOutLoss);
    // Levanter logs these in separate lines before the step's loss.
    this.#speed = tokensPerSecond ?? this.#speed;
    this.#norm = gradientNorm ?? this.#norm;
    if (loss === null || step > this.#steps) return;
    this.#losses.push({ step, loss });
    const measured = { gradientNorm: this.#norm, tokensPerSecond: this.#speed };
    this.#hears.onProgress({ step, steps: this.#steps, loss, ...measured, heldOutLoss });
  }

  /** Whether any step was logged: only the first host of a slice logs steps. */
  get isEmpty(): boolean {
    return this.#losses.length === 0;
  }

  /** Mean over the last tenth of the steps, unweighted. */
  finalLoss(): number {
    const first = this.#steps - Math.max(1, Math.round(this.#steps * FINAL_LOSS_SHARE)) + 1;
    const last = this.#losses.filter(({ step }) => step >= first);
    if (last.length === 0)
      throw new StpError('STP1301', 'Levanter logged no loss', 'Look into its log; use the release that is pinned.');
    return last.reduce((sum, { loss }) => sum + loss, 0) / last.length;
  }
}

/** Runs Levanter to its end. Throws STP1301 with the end of its log, or the signal's reason; no process is left. */
export async function runLevanter(
  command: readonly string[],
  run: {
    logPath: string;
    runMark: string | undefined;
    signal: AbortSignal | undefined;
    work: string;
    metrics: StepMetrics;
  },
): Promise<void> {
  const { signal } = run;
  signal?.throwIfAborted();
  const log = new CappedLog(run.logPath);
  const environment = { HF_HUB_OFFLINE: '1', PYTHONUNBUFFERED: '1', WANDB_MODE: 'disabled' };
  const group = await ProcessGroup.start(command, { environment, directory: run.work, runMark: run.runMark });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    group.child.stdin!.end();
    for (const stream of [group.child.stdout!, group.child.stderr!]) {
      log.take(stream);
      createInterface({ input: stream }).on('line', (line) => {
        const metrics = parseMetricsLine(line);
        if (metrics !== null) run.metrics.take(metrics);
      });
    }
    const { code, signal: endedBy } = await Promise.race([group.exited, aborted]);
    if (code === 0) return;
    const last = log.tail.trim().split('\n').at(-1) ?? '';
    throw new StpError(
      'STP1301',
      `Levanter ended ${endedBy === null ? `with code ${code}` : `by ${endedBy}`}: ${last.slice(0, 500)}`,
      'The next try continues from its last checkpoint. If this repeats, look into its log.',
      { retryable: true, facts: { code, signal: endedBy, log: log.path } },
    );
  } finally {
    signal?.removeEventListener('abort', abort);
    await group.end();
    await log.close();
  }
}
