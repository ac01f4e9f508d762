/** Rotation angles of each pair of a head at each position (RoFormer, Su et al. 2021), scaled as the model requires. */
import type { LlamaConstants, RopeScaling } from '../../checkpoint/llama-tensors.ts';

/** Returns cos and sin of position · frequency, [positions, headSize / 2] each. */
export function rotaryTables(
  positions: number,
  headSize: number,
  { ropeTheta, ropeScaling }: LlamaConstants,
): readonly [Float32Array, Float32Array] {
  const half = headSize / 2;
  const plain = Array.from({ length: half }, (_, index) => ropeTheta ** (-index / half));
  const frequencies = ropeScaling === undefined ? plain : stretched(plain, ropeScaling, ropeTheta);
  const factor = ropeScaling?.kind === 'yarn' ? ropeScaling.attention : 1;
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let index = 0; index < half; index++) {
      const angle = position * frequencies[index]!;
      cosines[position * half + index] = factor * Math.cos(angle);
      sines[position * half + index] = factor * Math.sin(angle);
    }
  }
  return [cosines, sines];
}

function stretched(frequencies: readonly number[], scaling: RopeScaling, theta: number): number[] {
  const { factor } = scaling;
  switch (scaling.kind) {
    case 'linear':
      return frequencies.map((frequency) => frequency / factor);
    case 'llama3':
      return frequencies.map((frequency) => {
        const waves = (scaling.trainedLength * frequency) / (2 * Math.PI);
        const kept = clamped((waves - scaling.low) / (scaling.high - scaling.low));
        return (1 - kept) * (frequency / factor) + kept * frequency;
      });
    case 'yarn': {
      const half = frequencies.length;
      /** Returns the index of the pair that makes this many rotations within the trained context. */
      const pairOf = (turns: number): number =>
        (half * Math.log(scaling.trainedLength / (turns * 2 * Math.PI))) / Math.log(theta);
      const [first, last] = [pairOf(scaling.fast), pairOf(scaling.slow)];
      const low = Math.max(scaling.isRounded ? Math.floor(first) : first, 0);
      const high = Math.min(scaling.isRounded ? Math.ceil(last) : last, 2 * half - 1);
      const width = high === low ? 1e-3 : high - low;
      return frequencies.map((frequency, index) => {
        const share = clamped((index - low) / width);
        return share * (frequency / factor) + (1 - share) * frequency;
      });
    }
  }
}

const clamped = (value: number): number => Math.min(1, Math.max(0, value));
