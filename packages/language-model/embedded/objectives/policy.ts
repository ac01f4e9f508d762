/**
 * GRPO's loss of a step (constants: `packages/config/schemas/objectives/grpo.ts`). At each token, with the ratio ρ to
 * the policy before the training and the advantage A: max(−Aρ, −A·clip(ρ)), and at most −A·c if A < 0; plus the
 * weighted KL divergence from the reference.
 */
import { type PolicyExample, type PolicyObjective, policyExampleSchema } from '@stp/config';
import { NO_VARIABLES, type Objective, type SequenceLogprobs } from './objective.ts';

/** Limits on differences of log-probabilities and on estimates of the divergence, as in veRL. */
const DIFFERENCE_MAX = 20;
const DIVERGENCE_MAX = 10;

type PolicyNumbers = Pick<PolicyExample, 'weight' | 'advantage' | 'logprob'>;

/** A value and its derivative by the token's log-probability. */
interface Differentiated {
  readonly value: number;
  readonly slope: number;
}

export function policyObjective(config: PolicyObjective): Objective<PolicyExample, PolicyNumbers> {
  const { aggregation, lengthNorm, klCoefficient } = config;
  return {
    schema: policyExampleSchema,
    sequences: ({ prompt, target, weight }) => (weight === 0 ? [] : [{ prompt, target }]),
    numbers: ({ weight, advantage, logprob }) => ({ weight, advantage, logprob }),
    needs: { current: true, first: true, reference: klCoefficient > 0 },
    variableCount: () => 0,
    evaluate(items) {
      const sequences = items.reduce((sum, { numbers }) => sum + numbers.weight, 0);
      const tokens = items.reduce((sum, item) => sum + item.numbers.weight * item.sequences[0]!.length, 0);
      /** Weight of a token of a sequence of this length. */
      const shareOf = (length: number): number => {
        switch (aggregation) {
          case 'token-mean':
            return 1 / tokens;
          case 'seq-mean-token-sum':
            return 1 / sequences;
          case 'seq-mean-token-mean':
            return 1 / (sequences * length);
          case 'seq-mean-token-sum-norm':
            return 1 / (sequences * lengthNorm);
        }
      };
      let loss = 0;
      const slopes = items.map(({ numbers, sequences: [logprobs] }) => {
        const { current, first, reference, length } = logprobs!;
        const importance = importanceWeight(logprobs!, numbers.logprob, config.importanceMax);
        const share = shareOf(length) * numbers.weight;
        return [
          Float64Array.from({ length }, (_, at) => {
            const surrogate = clippedSurrogate(current[at]! - first[at]!, numbers.advantage * importance, config);
            const divergence =
              klCoefficient > 0 ? divergenceOf(current[at]! - reference[at]!, config.klEstimator) : NOTHING;
            loss += share * (surrogate.value + klCoefficient * divergence.value);
            return share * (surrogate.slope + klCoefficient * divergence.slope);
          }),
        ];
      });
      return { loss, slopes, variables: NO_VARIABLES, weight: tokens };
    },
  };
}

const NOTHING: Differentiated = { value: 0, slope: 0 };

/** Returns min(π_first / π_sampler, max) of a whole sequence; 1 if the sampler's probability is unknown. */
function importanceWeight({ first, length }: SequenceLogprobs, sampled: number | null, max: number): number {
  if (sampled === null) return 1;
  let total = 0;
  for (let at = 0; at < length; at += 1) total += first[at]!;
  return Math.min(max, Math.exp(clamp(total - sampled, DIFFERENCE_MAX)));
}

function clippedSurrogate(
  difference: number,
  advantage: number,
  { clipLow, clipHigh, dualClip }: PolicyObjective,
): Differentiated {
  const ratio = Math.exp(clamp(difference, DIFFERENCE_MAX));
  const plain = { value: -advantage * ratio, slope: Math.abs(difference) < DIFFERENCE_MAX ? -advantage * ratio : 0 };
  const clipped = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
  const bounded = plain.value >= -advantage * clipped ? plain : { value: -advantage * clipped, slope: 0 };
  const most = -advantage * dualClip;
  return advantage < 0 && bounded.value > most ? { value: most, slope: 0 } : bounded;
}

/** @param difference log π − log π_ref */
function divergenceOf(difference: number, estimator: PolicyObjective['klEstimator']): Differentiated {
  switch (estimator) {
    case 'k1':
      return { value: difference, slope: 1 };
    case 'k2':
      return { value: difference ** 2 / 2, slope: difference };
    case 'k3': {
      const back = clamp(-difference, DIFFERENCE_MAX);
      const value = Math.exp(back) - back - 1;
      const isBounded = value > DIVERGENCE_MAX || Math.abs(difference) > DIFFERENCE_MAX;
      return { value: Math.min(value, DIVERGENCE_MAX), slope: isBounded ? 0 : 1 - Math.exp(back) };
    }
  }
}

const clamp = (value: number, max: number): number => Math.min(Math.max(value, -max), max);
