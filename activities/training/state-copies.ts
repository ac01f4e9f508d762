/** Copies a training's states to the store while it runs, one at a time. A failed copy never ends the training. */

import type { KeptState } from '@stp/language-model';
import { log } from '@temporalio/activity';
import { newStateId, type StatePart, type TrainingStates } from './training-states.ts';

/** Contents of heartbeats: the state from which another machine could resume, and why there is no newer one. */
export interface CopiedStates {
  /** Steps of the last state that was copied; null: none yet. */
  readonly step: number | null;
  /** Why the last copy failed; null: it did not. */
  readonly problem: string | null;
}

export interface StateCopiesOptions {
  readonly states: TrainingStates;
  /** The trainer's state folder. */
  readonly directory: string;
  readonly part: StatePart;
  /** Name that tells the copies of this attempt from others; the same on all its machines. */
  readonly id?: string;
  readonly signal: AbortSignal;
  /** Called after each copy. */
  readonly onCopied: (copied: CopiedStates) => void;
}

export class StateCopies {
  readonly #options: StateCopiesOptions;
  readonly #id: string;
  readonly #ended = new AbortController();
  #copied: CopiedStates = { step: null, problem: null };
  #copying: Promise<void> = Promise.resolve();

  constructor(options: StateCopiesOptions) {
    this.#options = options;
    this.#id = options.id ?? newStateId();
  }

  /** Resolves when the state is in the store or the copy failed; a failure is reported, and the next state is tried. */
  copy(kept: KeptState): Promise<void> {
    this.#copying = this.#copy(kept);
    return this.#copying;
  }

  /** Ends a copy in progress that is no longer needed. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#copying;
  }

  async #copy(kept: KeptState): Promise<void> {
    const { states, directory, part, signal, onCopied } = this.#options;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    try {
      await states.copy(kept, directory, { ...part, id: this.#id }, either);
      this.#copied = { step: kept.step, problem: null };
    } catch (error) {
      if (either.aborted) return;
      const problem = error instanceof Error ? error.message : String(error);
      log.warn('the state of a training could not be copied to the store', { step: kept.step, problem });
      this.#copied = { ...this.#copied, problem };
    }
    onCopied(this.#copied);
  }
}
