/**
 * DPO's loss of a step: the weighted mean over its pairs of −log σ(β·margin). The margin is the log-ratio of chosen to
 * rejected target under the policy, minus the same log-ratio under the reference model.
 */
import { type Preference, type PreferenceObjective, preferenceSchema } from '@stp/config';
import { NO_VARIABLES, type Objective, type SequenceLogprobs } from './objective.ts';

export function preferenceObjective({ beta }: PreferenceObjective): Objective<Preference, { readonly weight: number }> {
  return {
    schema: preferenceSchema,
    sequences: ({ prompt, chosen, rejected, weight }) =>
      weight === 0 ? [] : [chosen, rejected].map((target) => ({ prompt, target })),
    numbers: ({ weight }) => ({ weight }),
    needs: { current: true, first: false, reference: true },
    variableCount: () => 0,
    evaluate(items) {
      const weight = items.reduce((sum, { numbers }) => sum + numbers.weight, 0);
      let loss = 0;
      const slopes = items.map(({ numbers, sequences }) => {
        const [chosen, rejected] = sequences as readonly [SequenceLogprobs, SequenceLogprobs];
        const scaled = beta * (gain(chosen) - gain(rejected));
        const share = numbers.weight / weight;
        // −log σ(x) = log(1 + e^(−x)), without overflow.
        loss += share * (Math.max(-scaled, 0) + Math.log1p(Math.exp(-Math.abs(scaled))));
        const slope = (share * beta) / (1 + Math.exp(scaled));
        return [new Float64Array(chosen.length).fill(-slope), new Float64Array(rejected.length).fill(slope)];
      });
      return { loss, slopes, variables: NO_VARIABLES, weight };
    },
  };
}

/** Returns log π − log π_ref of a whole target. */
function gain({ current, reference, length }: SequenceLogprobs): number {
  let total = 0;
  for (let at = 0; at < length; at += 1) total += current[at]! - reference[at]!;
  return total;
}
