/**
 * The training objectives as one family: a record names texts, and the loss of a step is a function of the log-probabilities
 * that the model gives to their tokens. The slopes of that function are all that the graph needs: Σ slope · log p has its gradient.
 * Pure arithmetic in double precision; packing, gradients and the optimizer are the same for all (docs/decisions/0030).
 */
import type { z } from 'zod';

/** A text that the loss depends on. */
export interface Sequence {
  readonly prompt: string;
  readonly target: string;
}

/** Log-probabilities of a sequence's target tokens, the end of text included. */
export interface SequenceLogprobs {
  /** Log-probabilities under the weights that the step starts from; empty where the objective does not ask for them. */
  readonly current: ArrayLike<number>;
  /** Log-probabilities under the weights that the training started from, where the objective asks for them. */
  readonly first: ArrayLike<number>;
  /** Log-probabilities under the reference model, where the objective asks for them. */
  readonly reference: ArrayLike<number>;
  /** How many tokens they are. */
  readonly length: number;
}

/** A record as a step sees it: its numbers, and the log-probabilities of its sequences in their order. */
export interface StepItem<Numbers> {
  readonly numbers: Numbers;
  readonly sequences: readonly SequenceLogprobs[];
}

export interface Evaluated {
  /** Null where it does not follow without log-probabilities; then Σ slope · log p is the loss. */
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
  /** The sequences of a record; none for one that trains nothing. */
  sequences(row: Row): readonly Sequence[];
  /** Returns the numbers of a record that the loss needs beside its sequences. */
  numbers(row: Row): Numbers;
  /** Which log-probabilities `evaluate` reads. */
  readonly needs: { readonly current: boolean; readonly first: boolean; readonly reference: boolean };
  /** How many variables of its own it has with records of these numbers; all start at 0. */
  variableCount(all: Iterable<Numbers>): number;
  /** The loss of a step. `variables` stay as they are. */
  evaluate(items: readonly StepItem<Numbers>[], variables: ArrayLike<number>): Evaluated;
}

export const NO_VARIABLES: ReadonlyMap<number, number> = new Map();
