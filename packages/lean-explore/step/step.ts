/**
 * The step API: open a goal, run tactics on states, and get goals as data and as text. States are values: several
 * tactics can be run from the same state, in any order, and a state without references costs nothing. Results of steps
 * guide a search. Whether a proof counts is decided by `finish`, which checks the whole proof like any other.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import type { CheckResult, Verifier } from '@stp/lean-verifier';

/** Hypotheses of the same type that Lean prints on one line. */
export interface Hypothesis {
  readonly names: readonly string[];
  readonly type: string;
  /** The value of a `let` or `set`. */
  readonly value?: string;
}

export interface Goal {
  /** Name of its case, or null. */
  readonly name: string | null;
  readonly hypotheses: readonly Hypothesis[];
  readonly target: string;
  /** The goal as Lean prints it: case, hypotheses, `⊢` and the target. */
  readonly text: string;
}

export interface StepOptions {
  /** Processor time limit of this step, ms. The wall-time limit is ten times that. */
  readonly deadlineMs: number;
  /** Aborts the step. The promise rejects with the reason, and the state can be used again. */
  readonly signal?: AbortSignal;
  /**
   * At the deadline, Lean is told to stop the step, and its process ends only if it does not stop. Default: the process
   * ends.
   */
  readonly keepsProcess?: boolean;
  /** Wall-time limit, ms, if it should be less than ten times `deadlineMs`. Requires `keepsProcess`. */
  readonly wallMs?: number;
}

/** `cpuMs`: Lean's processor time for the step, including what it had to read again, ms. */
export type StepResult =
  /** The tactic succeeded and goals remain, the main goal first. */
  | {
      readonly kind: 'open';
      readonly goals: readonly Goal[];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
      readonly state: StepState;
    }
  /** No goal, error or sorry remains, as far as elaboration shows. `state.finish` decides. */
  | {
      readonly kind: 'done';
      readonly goals: readonly [];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
      readonly state: StepState;
    }
  /** The step gives no state; the previous state remains usable. `why` is the verdict that such a proof would get. */
  | {
      readonly kind: 'invalid';
      readonly why: Exclude<VerdictKind, 'proved'>;
      readonly goals: readonly [];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
    };

export interface StepState {
  /** Empty if no goal remains. */
  readonly goals: readonly Goal[];
  /** All tactics so far, each laid out as in the proof. */
  readonly tactics: readonly string[];
  /**
   * Never rejects because of the tactic's behaviour. Positions in messages refer to the tactic's own text (line 1 is
   * its first).
   */
  run(tactic: string, options: StepOptions): Promise<StepResult>;
  /**
   * Returns the verdict on all tactics as one proof, checked in a separate process (`CheckOptions.alone`). This verdict
   * counts.
   */
  finish(verifier: Verifier, options?: { readonly signal?: AbortSignal }): Promise<CheckResult>;
}

export type OpenedGoal =
  | { readonly kind: 'open'; readonly state: StepState }
  /** The header or the statement is refused, or Lean cannot make a goal from it. */
  | {
      readonly kind: 'invalid';
      readonly why: Exclude<VerdictKind, 'proved'>;
      readonly messages: readonly LeanMessage[];
    };

export interface Steps {
  /** `header`: null for the library header. `statement`: `theorem NAME BINDERS : TYPE` without `:=`. */
  openGoal(header: string | null, statement: string, options: StepOptions): Promise<OpenedGoal>;
  /** Number of processes started so far. At most one runs at a time. */
  readonly starts: number;
  /** Ends the process. Running and waiting steps reject with STP1203. */
  close(): Promise<void>;
}
