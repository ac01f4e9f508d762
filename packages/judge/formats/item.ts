/** One proof of a problem in words, or a problem without a proof, from a file of any system. */
import type { Grading, ScaleName } from '@stp/config/records';

export interface Item {
  /** Id of the proof, or of the problem if there is no proof. */
  readonly id: string;
  readonly problemId: string;
  /** Problem set. */
  readonly set: string;
  readonly problem: string;
  readonly grading: Grading;
  /** A model's answer, possibly with its thinking; null: a problem alone. */
  readonly answer: string | null;
  /** A mark given by a person. */
  readonly human: { readonly raw: number; readonly scale: ScaleName } | null;
  /** Mean of another judge's votes, as a share of full marks. */
  readonly automatic: number | null;
  /** The split that the source names, or null. */
  readonly split: 'train' | 'held-out' | null;
}
