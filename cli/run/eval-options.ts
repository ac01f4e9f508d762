/** The options of `stp eval`: checks that they go together, and makes a run's configuration of them. */
import { StpError } from '@stp/base';
import { type FormatName, loadFormat, type ProverMode, proverIn, type RunConfig } from '@stp/config';
import type { EvaluatedSplit } from '@stp/config/records';
import { isGguf } from '../models/gguf.ts';
import { SERVED } from '../shared/model-source.ts';
import { type RunOptions, startInput } from '../shared/options.ts';
import type { LocalRunOptions } from './local-run.ts';

export interface EvalOptions extends RunOptions, LocalRunOptions {
  /** Missing with the prover `scripts`, which uses no model. */
  readonly model?: string;
  /** Comma-separated. */
  readonly problems: string;
  /** Whole proofs per statement. */
  readonly samples?: number;
  /** One of `EVALUATED_PROVERS`. */
  readonly prover?: ProverMode;
  readonly maxExpansions?: number;
  readonly numSampledTactics?: number;
  readonly timeout?: number;
  /** Settings of a published search, which the options above override. */
  readonly searchLike?: keyof typeof PUBLISHED_SEARCHES;
  readonly numTheorems?: number;
  readonly nameFilter?: string;
  /** The run whose grown library proofs may use. */
  readonly library?: string;
  readonly temperature?: number;
  /** Prompt format of the model's family, with the sampling values of its model card. */
  readonly format?: FormatName;
  readonly split: EvaluatedSplit;
  readonly runDir?: string;
  readonly json?: boolean;
}

const SAMPLES_DEFAULT = 32;

/** Options of a search, with the configuration keys that they set. */
const SEARCH_OPTIONS = {
  maxExpansions: ['--max-expansions', 'prover.search.expansions'],
  numSampledTactics: ['--num-sampled-tactics', 'prover.search.tactics'],
  timeout: ['--timeout', 'prover.search.seconds'],
} as const;

/**
 * Settings of published searches as configuration values. llmstep: 100 iterations, 32 candidates, 600 s, sums of
 * scores.
 */
const PUBLISHED_SEARCHES = {
  llmstep: {
    'prover.search.expansions': '100',
    'prover.search.tactics': '32',
    'prover.search.seconds': '600',
    'prover.search.leanSeconds': '600',
    'prover.search.lengthExponent': '0',
  },
} as const;

/** Returns the given search options, each with the configuration value that it sets. */
function givenOptions(
  options: EvalOptions,
): { readonly option: string; readonly key: string; readonly value: string }[] {
  return Object.entries(SEARCH_OPTIONS).flatMap(([name, [option, key]]) => {
    const value = options[name as keyof typeof SEARCH_OPTIONS];
    return value === undefined ? [] : [{ option, key, value: String(value) }];
  });
}

/** Throws STP1002 for options that do not go together. */
function requireFitting(options: EvalOptions, prover: RunConfig['prover']): void {
  const { answersOnce = false } = proverIn(prover);
  const isSearch = 'search' in prover;
  const [given] = givenOptions(options);
  const problem =
    isSearch && !answersOnce
      ? `prover.mode=${prover.mode} is for runs: an evaluation takes whole proofs or steps`
      : isSearch && options.samples !== undefined
        ? '--samples counts whole proofs, and --prover steps makes one search per statement'
        : !isSearch && given !== undefined
          ? `${given.option} needs --prover steps`
          : !isSearch && options.searchLike !== undefined
            ? '--search-like needs --prover steps'
            : null;
  if (problem !== null)
    throw new StpError('STP1002', problem, 'Give --prover whole or --prover steps, and its options.');
}

/** Returns the named model, or null if scripts prove. Throws STP1002 if both or neither are given. */
function requireModelOrScripts(model: string | undefined, prover: RunConfig['prover']): string | null {
  if (model === 'portfolio')
    throw new StpError(
      'STP1002',
      '--model portfolio: the fixed list of scripts is a prover, not a model',
      'Write --prover scripts and leave out --model.',
    );
  const { asksNoModel = false } = proverIn(prover);
  if (asksNoModel === (model === undefined)) return model ?? null;
  throw new StpError(
    'STP1002',
    model === undefined ? 'no model is named' : `--prover ${prover.mode} asks no model, and --model names one`,
    'Give --model MODEL, or --prover scripts without a model.',
  );
}

/** A requested evaluation: its input, its configuration and its model. */
export interface AskedEvaluation extends ReturnType<typeof startInput> {
  /** The named model; null: scripts prove. */
  readonly named: string | null;
  readonly problemSets: readonly string[];
  readonly samples: number;
}

/** Throws STP1002 for options that do not go together. */
export function askedEvaluation(options: EvalOptions): AskedEvaluation {
  const problemSets = options.problems.split(',').map((set) => set.trim());
  const format = options.format === undefined ? {} : formatValues(options.format);
  const plain = {
    ...(options.model !== undefined && isGguf(options.model) ? { 'engines.generator.kind': 'llama-cpp' } : {}),
    ...options.set,
    'data.problemSets': JSON.stringify(problemSets),
    ...(options.temperature === undefined ? {} : { 'sampling.temperature': String(options.temperature) }),
    ...(options.prover === undefined ? {} : { 'prover.mode': options.prover }),
  };
  // Search options are left out here, because a prover without search has no such settings.
  const { prover } = startInput({ ...options, set: { ...format, ...plain } }).config;
  const named = requireModelOrScripts(options.model, prover);
  if (named?.startsWith(SERVED) && !process.env.STP_GENERATOR_URL)
    throw new StpError('STP1002', `${named}: no server is named`, 'Set STP_GENERATOR_URL (docs/serve.md).');
  requireFitting(options, prover);
  const samples = proverIn(prover).answersOnce ? 1 : (options.samples ?? SAMPLES_DEFAULT);
  const set = {
    ...format,
    ...(options.searchLike === undefined ? {} : PUBLISHED_SEARCHES[options.searchLike]),
    ...plain,
    ...Object.fromEntries(givenOptions(options).map(({ key, value }) => [key, value])),
    'sampling.samplesPerStatement': String(samples),
  };
  return { named, problemSets, samples, ...startInput({ ...options, set }) };
}

/** Returns the values of `--format NAME`, which other options override. */
function formatValues(name: FormatName): Record<string, string> {
  const values = { 'prover.slots': 'false', 'prover.format': name };
  if (name === 'custom') return values;
  const { temperature, topP, maxTokens } = loadFormat(name).sampling;
  return {
    ...values,
    'sampling.temperature': String(temperature),
    'sampling.topP': String(topP),
    'sampling.maxTokens': String(maxTokens),
  };
}
