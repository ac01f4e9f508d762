/**
 * The step API: a goal is opened, tactics are run on states, goals come back as data and as text. States are values: several
 * tactics can be run from one, in any order, and a state that nobody holds costs nothing. What a step says is for searching;
 * whether a proof counts is decided by `finish`, which checks the whole of it as any other proof is checked.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import type { CheckResult, Verifier } from '@stp/lean-verifier';

/** Hypotheses of one type that stand side by side in Lean's own picture. */
export interface Hypothesis {
  readonly names: readonly string[];
  readonly type: string;
  /** The value of a `let` or `set`. */
  readonly value?: string;
}

export interface Goal {
  /** Its case, or null. */
  readonly name: string | null;
  readonly hypotheses: readonly Hypothesis[];
  readonly target: string;
  /** The goal as Lean prints it: case, hypotheses, `⊢` and the target. */
  readonly text: string;
}

export interface StepOptions {
  /** Processor time of this step, ms; ten times that in wall time. */
  readonly deadlineMs: number;
  /** Ends the step; the promise rejects with its reason, and the state can be used again. */
  readonly signal?: AbortSignal;
  /** At the deadline Lean is told to let go of the step. Its process ends only if it does not. Default: it ends. */
  readonly keepsProcess?: boolean;
  /** Wall time for it, where that is to be less than ten times `deadlineMs`. With `keepsProcess`. */
  readonly wallMs?: number;
}

/** `cpuMs`: processor time that Lean took for the step, with what it had to read again for it. */
export type StepResult =
  /** The tactic succeeded and goals are left, the next one first. */
  | {
      readonly kind: 'open';
      readonly goals: readonly Goal[];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
      readonly state: StepState;
    }
  /** No goal is left, no error, no sorry: as far as elaboration goes. `state.finish` decides. */
  | {
      readonly kind: 'done';
      readonly goals: readonly [];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
      readonly state: StepState;
    }
  /** There is no state after it; the one before can be used on. `why` is what the verdict of such a proof would be. */
  | {
      readonly kind: 'invalid';
      readonly why: Exclude<VerdictKind, 'proved'>;
      readonly goals: readonly [];
      readonly messages: readonly LeanMessage[];
      readonly cpuMs: number;
    };

export interface StepState {
  /** Empty where no goal is left. */
  readonly goals: readonly Goal[];
  /** From the first, each laid out as it stands in the proof. */
  readonly tactics: readonly string[];
  /** Never rejects for what the tactic does. Places in messages count in the tactic's own text (line 1 is its first). */
  run(tactic: string, options: StepOptions): Promise<StepResult>;
  /** The verdict on all tactics as one proof, by a process of its own (`CheckOptions.alone`). What it says holds. */
  finish(verifier: Verifier, options?: { readonly signal?: AbortSignal }): Promise<CheckResult>;
}

export type OpenedGoal =
  | { readonly kind: 'open'; readonly state: StepState }
  /** The header or the statement is refused, or Lean cannot make a goal of it. */
  | {
      readonly kind: 'invalid';
      readonly why: Exclude<VerdictKind, 'proved'>;
      readonly messages: readonly LeanMessage[];
    };

export interface Steps {
  /** `header`: null for the library's. `statement`: `theorem NAME BINDERS : TYPE` without `:=`. */
  openGoal(header: string | null, statement: string, options: StepOptions): Promise<OpenedGoal>;
  /** Processes started so far. There is one at a time. */
  readonly starts: number;
  /** Ends the process; steps that run or wait are rejected with STP1203. */
  close(): Promise<void>;
}
