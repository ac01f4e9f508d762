/** Combines votes to one mark, as a share of the scale: the minimum, or a trimmed mean. */
import type { Judging, Mark } from '@stp/config/records';
import { mean } from './ranking.ts';
import type { Scale } from './scale.ts';

/** Returns the minimum number of votes for a judgement: half of those requested. */
export const quorum = (asked: number): number => Math.ceil(asked / 2);

/** @param marks at least one */
export function combine(
  marks: readonly Mark[],
  { combine: way, trimmedShare }: Pick<Judging, 'combine' | 'trimmedShare'>,
  scale: Scale,
): Mark {
  const sorted = marks.map(({ normalised }) => normalised).sort((a, b) => a - b);
  const cut = way === 'minimum' ? 0 : Math.floor(sorted.length * trimmedShare);
  const normalised = way === 'minimum' ? sorted[0]! : mean(sorted.slice(cut, sorted.length - cut));
  return { raw: normalised * scale.max, scale: scale.name, normalised };
}
