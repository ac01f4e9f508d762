/** Questions to a run's configuration that more than one place asks: how its prover works, and by which prover its models are compared. */
import { StpError } from '@stp/base';
import { type ProverConfig, type ProverMode, type ProverOf, proverIn } from './provers/index.ts';
import type { RunConfig } from './run-config.ts';

/** Are problems and proofs in words? Lean has nothing to check then: judges alone say what samples earn. */
export const isInWords = ({ prover }: Pick<RunConfig, 'prover'>): boolean => proverIn(prover).checkedBy === 'judges';

/** Share of the samples for which Lean is asked why it rejects them. */
export const explainedShare = (config: {
  readonly prover: Pick<ProverConfig, 'mode'>;
  readonly verification: Pick<RunConfig['verification'], 'explainedShare'>;
}): number => config.verification.explainedShare ?? proverIn(config.prover).explainedShare;

/** Does every second sample run with the library's theorems marked? */
export const marksLemmas = (prover: ProverConfig): boolean => 'lemmas' in prover && prover.lemmas === 'marked';

/** The same configuration without scripts: the model alone. */
export const withoutScripts = (config: RunConfig): RunConfig =>
  'scripts' in config.prover ? { ...config, prover: { ...config.prover, scripts: 'none' } } : config;

/** Does the model write tactics alone, and no whole proofs? */
export const writesTactics = (mode: ProverMode): boolean => !proverIn({ mode }).writes.includes('proofs');

/** Does the model meet proof states? */
export const meetsStates = (mode: ProverMode): boolean => proverIn({ mode }).writes.includes('tactics');

/** The configuration of the prover that an activity belongs to; STP1002 where the run has another. */
export function proverOf<Mode extends ProverMode>(
  { prover }: Pick<RunConfig, 'prover'>,
  ...modes: Mode[]
): ProverOf<Mode> {
  if (modes.some((mode) => mode === prover.mode)) return prover as ProverOf<Mode>;
  throw new StpError('STP1002', `prover.mode is ${prover.mode}, not ${modes.join(' or ')}`, 'Set prover.mode.');
}

/**
 * The configuration by which models are compared on held-out statements (`compared` of the prover). What scripts prove beside them
 * (`prover.scripts`) is counted apart.
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
