/** Scales of marks. A mark is kept as given, with its scale, and as a share of the maximum. */
import type { Mark, ScaleName } from '@stp/config/records';

const HALVES = '0/0.5/1';

export interface Scale {
  readonly name: ScaleName;
  readonly max: number;
  /** Description for a person or a model. */
  readonly description: string;
  /** Returns whether the number is a mark of the scale. */
  has(raw: number): boolean;
}

export function scaleOf(name: ScaleName): Scale {
  if (name === HALVES)
    return {
      name,
      max: 1,
      description:
        '0, 0.5 or 1: 1 for a complete and rigorous proof, 0.5 for a sound proof with small gaps or slips, 0 for a proof with a fatal error or an essential gap',
      has: (raw) => raw === 0 || raw === 0.5 || raw === 1,
    };
  const max = Number(name.slice('0-'.length));
  return {
    name,
    max,
    description: `a whole number from 0 to ${max}: ${max} for a complete and rigorous proof, 0 for one without progress`,
    has: (raw) => Number.isInteger(raw) && raw >= 0 && raw <= max,
  };
}

export const markOn = (scale: Scale, raw: number): Mark => ({
  raw,
  scale: scale.name,
  normalised: raw / scale.max,
});
