/**
 * The interface of training objectives: a record names texts, and the loss of a step is a function of the
 * log-probabilities that the model gives to their tokens. The graph needs only the derivatives of that function: Σ
 * slope · log p has the same gradient. Everything is computed in double precision; packing, gradients and the optimizer
 * are shared by all objectives (docs/decisions/0030).
 */
import type { z } from 'zod';

/** A text that the loss depends on. */
export interface Sequence {
  readonly prompt: string;
  readonly target: string;
}

/** Log-probabilities of a sequence's target tokens, the end of text included. */
export interface SequenceLogprobs {
  /** Log-probabilities under the weights that the step starts from; empty if the objective does not need them. */
  readonly current: ArrayLike<number>;
  /** Log-probabilities under the weights that the training started from, if the objective needs them. */
  readonly first: ArrayLike<number>;
  /** Log-probabilities under the reference model, if the objective needs them. */
  readonly reference: ArrayLike<number>;
  /** Number of target tokens. */
  readonly length: number;
}

/** A record as a step sees it: its numbers, and the log-probabilities of its sequences in order. */
export interface StepItem<Numbers> {
  readonly numbers: Numbers;
  readonly sequences: readonly SequenceLogprobs[];
}

export interface Evaluated {
  /** Null if the loss is Σ slope · log p, which needs the log-probabilities. */
  readonly loss: number | null;
  /** Derivative of the loss by each log-probability: [item][sequence][token]. */
  readonly slopes: readonly (readonly ArrayLike<number>[])[];
  /** New values of the objective's own variables, by index. */
  readonly variables: ReadonlyMap<number, number>;
  /** Weight of the record in the mean loss over several steps. */
  readonly weight: number;
}

export interface Objective<Row = unknown, Numbers = unknown> {
  readonly schema: z.ZodType<Row>;
  /** Returns the sequences of a record; none if it does not train. */
  sequences(row: Row): readonly Sequence[];
  /** Returns the numbers of a record that the loss needs. */
  numbers(row: Row): Numbers;
  /** Which log-probabilities `evaluate` reads. */
  readonly needs: { readonly current: boolean; readonly first: boolean; readonly reference: boolean };
  /** Returns how many variables of its own the objective has with these records. All start at 0. */
  variableCount(all: Iterable<Numbers>): number;
  /** Computes the loss of a step. Does not change `variables`. */
  evaluate(items: readonly StepItem<Numbers>[], variables: ArrayLike<number>): Evaluated;
}

export const NO_VARIABLES: ReadonlyMap<number, number> = new Map();
