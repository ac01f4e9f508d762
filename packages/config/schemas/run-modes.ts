/**
 * Questions about a run's configuration that several modules ask: how its prover works, and how its models are
 * compared.
 */
import { StpError } from '@stp/base';
import { type ProverConfig, type ProverMode, type ProverOf, proverIn } from './provers/index.ts';
import type { RunConfig } from './run-config.ts';

/** Returns whether problems and proofs are in words. Judges alone then reward the samples, without Lean. */
export const isInWords = ({ prover }: Pick<RunConfig, 'prover'>): boolean => proverIn(prover).checkedBy === 'judges';

/** Returns the share of samples for which Lean is asked why it rejects them. */
export const explainedShare = (config: {
  readonly prover: Pick<ProverConfig, 'mode'>;
  readonly verification: Pick<RunConfig['verification'], 'explainedShare'>;
}): number => config.verification.explainedShare ?? proverIn(config.prover).explainedShare;

/** Returns whether every second sample runs with the library's theorems marked. */
export const marksLemmas = (prover: ProverConfig): boolean => 'lemmas' in prover && prover.lemmas === 'marked';

/** Returns the configuration without scripts: the model alone. */
export const withoutScripts = (config: RunConfig): RunConfig =>
  'scripts' in config.prover ? { ...config, prover: { ...config.prover, scripts: 'none' } } : config;

/** Returns whether the model writes tactics only, and no whole proofs. */
export const writesTactics = (mode: ProverMode): boolean => !proverIn({ mode }).writes.includes('proofs');

/** Returns whether the model writes tactics for proof states. */
export const meetsStates = (mode: ProverMode): boolean => proverIn({ mode }).writes.includes('tactics');

/** Returns the settings of an activity's prover. Throws STP1002 if the run has another prover. */
export function proverOf<Mode extends ProverMode>(
  { prover }: Pick<RunConfig, 'prover'>,
  ...modes: Mode[]
): ProverOf<Mode> {
  if (modes.some((mode) => mode === prover.mode)) return prover as ProverOf<Mode>;
  throw new StpError('STP1002', `prover.mode is ${prover.mode}, not ${modes.join(' or ')}`, 'Set prover.mode.');
}

/**
 * Returns the configuration by which models are compared on held-out statements (`compared` of the prover). Proofs by
 * scripts (`prover.scripts`) are counted separately.
 *
 * @param samples whole proofs per statement
 */
export function evaluationConfig(config: RunConfig, samples: number): RunConfig {
  const { prover } = config;
  const { answersOnce, compared } = proverIn(prover);
  const samplesPerStatement = answersOnce ? 1 : samples;
  return {
    ...config,
    prover: (compared?.(prover) ?? prover) as ProverConfig,
    sampling: { ...config.sampling, samplesPerStatement },
    evaluation: { ...config.evaluation, samplesPerStatement },
  };
}
