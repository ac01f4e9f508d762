/** The current stage of a workflow and the time of each stage, by workflow time (deterministic on replay). */
import type { Stage } from './contracts.ts';

export class StageClock {
  stage: Stage = 'provision';
  startedAtMs = Date.now();
  readonly #seconds: Record<string, number>;

  constructor(carried: Readonly<Record<string, number>> = {}) {
    this.#seconds = { ...carried };
  }

  enter(stage: Stage): void {
    this.#settle();
    this.stage = stage;
  }

  /** Adds times by stage from a child workflow's clock. */
  add(other: Readonly<Record<string, number>>): void {
    for (const [stage, value] of Object.entries(other)) this.#seconds[stage] = (this.#seconds[stage] ?? 0) + value;
  }

  /** Returns the seconds of each stage up to now. */
  close(): Record<string, number> {
    this.#settle();
    return { ...this.#seconds };
  }

  #settle(): void {
    const now = Date.now();
    // A round counts its own time, stage by stage.
    if (this.stage !== 'round')
      this.#seconds[this.stage] = (this.#seconds[this.stage] ?? 0) + (now - this.startedAtMs) / 1_000;
    this.startedAtMs = now;
  }
}
