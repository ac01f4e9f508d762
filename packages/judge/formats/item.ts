/** One proof of a problem in words, or a problem alone, as read from several systems' files. */
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
  /** A person's mark. */
  readonly human: { readonly raw: number; readonly scale: ScaleName } | null;
  /** Another judge's mean over its votes, as a share of full marks. */
  readonly automatic: number | null;
  /** Split of the problem, if its source says. */
  readonly split: 'train' | 'held-out' | null;
}
