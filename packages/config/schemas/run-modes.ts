/** What a run's configuration says in more than one place: how its prover works, and by what its models are compared. */
import { StpError } from '@stp/base';
import type { ProverConfig, ProverMode, ProverOf } from './provers/index.ts';
import type { RunConfig } from './run-config.ts';

/** Are problems and proofs in words? Lean has nothing to check then: judges alone say what samples earn. */
export const isInWords = ({ prover }: Pick<RunConfig, 'prover'>): boolean => prover.mode === 'judged';

/** Share of the samples for which Lean is asked why it rejects them. */
export function explainedShare(config: {
  readonly prover: Pick<ProverConfig, 'mode'>;
  readonly verification: Pick<RunConfig['verification'], 'explainedShare'>;
}): number {
  return config.verification.explainedShare ?? (config.prover.mode === 'revise' ? 1 : 0.1);
}

/** Do scripts try what the prover leaves unproved? */
export const usesScripts = ({ prover }: Pick<RunConfig, 'prover'>): boolean =>
  'scripts' in prover && prover.scripts === 'unproved';

/** Does every second sample run with the library's theorems marked? */
export const marksLemmas = (prover: ProverConfig): boolean => 'lemmas' in prover && prover.lemmas === 'marked';

/** The same configuration without scripts: the model alone. */
export const withoutScripts = (config: RunConfig): RunConfig =>
  'scripts' in config.prover ? { ...config, prover: { ...config.prover, scripts: 'none' } } : config;

/** Does the model write tactics alone, and no whole proofs? */
export const writesTactics = (mode: ProverMode): boolean => mode === 'steps' || mode === 'walks';

/** Does the model meet proof states? */
export const meetsStates = (mode: ProverMode): boolean => writesTactics(mode) || mode === 'both';

/** The configuration of the prover that an activity belongs to; STP1002 where the run has another. */
export function proverOf<Mode extends ProverMode>(
  { prover }: Pick<RunConfig, 'prover'>,
  ...modes: Mode[]
): ProverOf<Mode> {
  if (modes.some((mode) => mode === prover.mode)) return prover as ProverOf<Mode>;
  throw new StpError('STP1002', `prover.mode is ${prover.mode}, not ${modes.join(' or ')}`, 'Set prover.mode.');
}

/**
 * The configuration by which models are compared on held-out statements. They are compared by whole proofs, or, if
 * `prover.mode` is `steps`, by one search per statement, if it is `walks` by walks. They are never compared by both, so that pass@k has one meaning. What
 * scripts prove beside them (`prover.scripts`) is counted apart.
 *
 * @param samples whole proofs per statement
 */
export function evaluationConfig(config: RunConfig, samples: number): RunConfig {
  const { mode } = config.prover;
  const samplesPerStatement = mode === 'steps' || mode === 'scripts' ? 1 : samples;
  return {
    ...config,
    prover: comparedProver(config.prover),
    sampling: { ...config.sampling, samplesPerStatement },
    evaluation: { ...config.evaluation, samplesPerStatement },
  };
}

/** Compared are the models, not how they explore. */
function comparedProver(prover: ProverConfig): ProverConfig {
  if (prover.mode === 'walks') return { ...prover, walks: { ...prover.walks, temperedShare: 0, verifier: null } };
  if (prover.mode !== 'both') return prover;
  const { search: _, ...whole } = prover;
  return { ...whole, mode: 'whole' };
}
