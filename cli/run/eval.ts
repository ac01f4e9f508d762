/** `stp eval`: evaluates one model on problem sets; results are STP's log, pass@k and certified proofs. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { type FormatName, loadFormat, type ProverMode, proverIn, type RunConfig } from '@stp/config';
import {
  type EvaluatedSplit,
  type EvaluateInput,
  type EvaluationGroup,
  type EvaluationReport,
  evaluationReportSchema,
  type SearchFigures,
} from '@stp/config/records';
import { modelIn } from '@stp/language-model';
import { EVALUATION_LOG } from '../../activities/evaluation/evaluation-log.ts';
import {
  EVALUATION_SUBJECT,
  evaluationSubjectSchema,
  requireSameSubject,
} from '../../activities/evaluation/evaluation-subject.ts';
import { SEARCH_RESULTS } from '../../activities/evaluation/search-results.ts';
import { SCRIPTS_MODEL } from '../../activities/provers/scripts/portfolio.ts';
import { EVALUATE_TYPE, evaluateWorkflowId } from '../../workflows/control/contracts.ts';
import { isGguf } from '../models/gguf.ts';
import { findModel, SERVED } from '../shared/model-source.ts';
import { freshRunName, type RunOptions, runReference, startInput } from '../shared/options.ts';
import { type LocalRunOptions, openRunFolder, runLocally } from './local-run.ts';
import { ProgressView } from './progress-view.ts';
import { publishedLines } from './published.ts';

export interface EvalOptions extends RunOptions, LocalRunOptions {
  /** Missing with the prover `scripts`, which asks none. */
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
  /** Settings of a published search; the options above go before them. */
  readonly searchLike?: keyof typeof PUBLISHED_SEARCHES;
  readonly numTheorems?: number;
  readonly nameFilter?: string;
  /** Run whose grown library proofs may use. */
  readonly library?: string;
  readonly temperature?: number;
  /** Prompt format of the model's family, with the sampling values of its model card. */
  readonly format?: FormatName;
  readonly split: EvaluatedSplit;
  readonly runDir?: string;
  readonly json?: boolean;
}

const SAMPLES_DEFAULT = 32;

/** Options of a search, and the values of the configuration that they set. */
const SEARCH_OPTIONS = {
  maxExpansions: ['--max-expansions', 'prover.search.expansions'],
  numSampledTactics: ['--num-sampled-tactics', 'prover.search.tactics'],
  timeout: ['--timeout', 'prover.search.seconds'],
} as const;

/** Settings of published searches as values of the configuration. llmstep: 100 iterations, 32 candidates, 600 s, sums of scores. */
const PUBLISHED_SEARCHES = {
  llmstep: {
    'prover.search.expansions': '100',
    'prover.search.tactics': '32',
    'prover.search.seconds': '600',
    'prover.search.leanSeconds': '600',
    'prover.search.lengthExponent': '0',
  },
} as const;

/** The given options of a search: each option with the value of the configuration that it sets. */
function givenOptions(
  options: EvalOptions,
): { readonly option: string; readonly key: string; readonly value: string }[] {
  return Object.entries(SEARCH_OPTIONS).flatMap(([name, [option, key]]) => {
    const value = options[name as keyof typeof SEARCH_OPTIONS];
    return value === undefined ? [] : [{ option, key, value: String(value) }];
  });
}

/** STP1002 for options that do not go together. */
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

/** The model that is named, null where the scripts are to prove; STP1002 for both and for neither. */
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

export async function evaluate(options: EvalOptions): Promise<void> {
  const sets = options.problems.split(',').map((set) => set.trim());
  const format = options.format === undefined ? {} : formatValues(options.format);
  const plain = {
    ...(options.model !== undefined && isGguf(options.model) ? { 'engines.generator.kind': 'llama-cpp' } : {}),
    ...options.set,
    'data.problemSets': JSON.stringify(sets),
    ...(options.temperature === undefined ? {} : { 'sampling.temperature': String(options.temperature) }),
    ...(options.prover === undefined ? {} : { 'prover.mode': options.prover }),
  };
  // Without the options of a search: another prover has no such settings, and is told so below.
  const { prover } = startInput({ ...options, set: { ...format, ...plain } }).config;
  const named = requireModelOrScripts(options.model, prover);
  if (named?.startsWith(SERVED) && !process.env.STP_GENERATOR_URL)
    throw new StpError('STP1002', `${named}: no server is named`, 'Set STP_GENERATOR_URL (docs/serve.md).');
  requireFitting(options, prover);
  const set = {
    ...format,
    ...(options.searchLike === undefined ? {} : PUBLISHED_SEARCHES[options.searchLike]),
    ...plain,
    ...Object.fromEntries(givenOptions(options).map(({ key, value }) => [key, value])),
  };
  const samples = proverIn(prover).answersOnce ? 1 : (options.samples ?? SAMPLES_DEFAULT);
  const { input, config } = startInput({
    ...options,
    set: { ...set, 'sampling.samplesPerStatement': String(samples) },
  });
  const runDirectory = resolve(options.runDir ?? join('runs', freshRunName('eval')));
  const model =
    named === null
      ? { directory: null, name: 'scripts', round: null }
      : await findModel(named, join(runDirectory, 'downloads'));
  if ('isForeign' in model && model.isForeign && config.prover.slots)
    throw new StpError(
      'STP1002',
      `${named} knows names, and no slots`,
      'Give --format NAME (docs/models.md), or --set prover.slots=false.',
    );
  const { directory, run } = await openRunFolder(runDirectory, config);
  const evaluated = {
    split: options.split,
    nameFilter: options.nameFilter ?? '',
    theorems: options.numTheorems ?? null,
    library: options.library === undefined ? null : runReference(options.library),
  };
  const subject = await readFile(join(directory, EVALUATION_SUBJECT), 'utf8').catch(() => null);
  if (subject !== null)
    requireSameSubject(run, evaluationSubjectSchema.parse(JSON.parse(subject)), {
      model: model.directory === null ? SCRIPTS_MODEL : await modelIn(model.directory),
      ...evaluated,
    });
  const { preset, seed } = input;
  const evaluateInput: EvaluateInput = {
    preset,
    set: input.set,
    ...(seed === undefined ? {} : { seed }),
    checkpoint: model.directory,
    modelName: model.name,
    round: model.round,
    ...evaluated,
  };
  const out = options.json ? process.stderr : process.stdout;
  const workflow = {
    type: EVALUATE_TYPE,
    id: evaluateWorkflowId(run),
    input: evaluateInput,
    summary:
      `evaluation of ${basename(model.name)} on ${sets.join(', ')}, ${'search' in prover ? 'search' : `${samples} samples`}`.slice(
        0,
        200,
      ),
  };
  await runLocally({ directory, view: new ProgressView(out), workflow }, options, async () => {
    const path = join(directory, 'evaluation.json');
    const report = evaluationReportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    const found = report.search === undefined ? '' : `\nSearches: ${join(directory, SEARCH_RESULTS)}`;
    out.write(`${describe(report)}\n\nFigures: ${path}\nLog: ${join(directory, EVALUATION_LOG)}${found}\n`);
  });
}

/** Returns the values that `--format NAME` stands for, beneath what is set otherwise. */
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

/** The evaluation as text: one block per group, one line per number of samples. */
export function describe(report: EvaluationReport): string {
  const tried =
    report.search === undefined ? `${report.samplesPerStatement} samples a statement` : 'one search per statement';
  const head =
    `${report.modelName} (${report.model.slice(0, 8)}), ${tried} at temperature ${report.temperature}, ` +
    report.leanVersion +
    (report.library === undefined ? '' : `, lemmas: ${report.library.theorems} theorems of ${report.library.run}`);
  const loud = report.eligible ? [] : [`NOT ELIGIBLE  ${report.ineligibleBecause.join('; ')}`];
  const search = report.search === undefined ? [] : [describeSearch(report.search)];
  return [
    head,
    ...describeTokens(report),
    ...loud,
    ...search,
    ...report.groups.map((group) => describeGroup(group, report)),
    `  ${report.leanSeconds.toFixed(1)} s of Lean in all`,
  ].join('\n\n');
}

function describeTokens({ tokens, promptTokens, groups, cost }: EvaluationReport): string[] {
  const proved = groups.reduce((sum, group) => sum + group.proved, 0);
  const each = (amount: number, digits: number): string =>
    proved === 0 ? '' : `, ${(amount / proved).toFixed(digits)} for each proved statement`;
  const asked = promptTokens === undefined ? '' : `${promptTokens} tokens of prompts; `;
  const paid = cost === undefined ? '' : `; cost ${cost.toFixed(2)}${each(cost, 4)}`;
  return [`  ${asked}${tokens} tokens of answers${each(tokens, 0)}${paid}`];
}

function describeSearch({ searches, expansions, steps, states, leanMs, modelMs, wallMs }: SearchFigures): string {
  const rate = expansions / Math.max(1e-3, wallMs / 1_000);
  const share = (100 * leanMs) / Math.max(1, leanMs + modelMs);
  return (
    `  ${searches} searches: ${expansions} states expanded (${rate.toFixed(1)} a second), ${steps} tactics run, ` +
    `${states} states met\n  time in Lean ${(leanMs / 1_000).toFixed(1)} s, in the model ${(modelMs / 1_000).toFixed(1)} s ` +
    `(Lean ${share.toFixed(0)} %)`
  );
}

/** Other provers leave out statements whose search cannot begin, so both shares are given. */
function describePassAt1({ proved, statements }: EvaluationGroup, begun: number): string {
  const percent = (of: number): string => `${((100 * proved) / Math.max(1, of)).toFixed(1)} %`;
  return `  Pass@1 ${percent(statements)} of all ${statements} statements, ${percent(begun)} of the ${begun} whose search could begin`;
}

function describeGroup(group: EvaluationGroup, { format, samplesPerStatement }: EvaluationReport): string {
  const proved = `  ${group.group}: ${group.proved} of ${group.statements} statements proved`;
  const title = group.begun === undefined ? proved : `${proved}\n${describePassAt1(group, group.begun)}`;
  if (group.refused !== null) return `${title}\n  no pass@k: ${group.refused}`;
  const percent = (share: number): string => (100 * share).toFixed(1).padStart(5);
  const lines = group.unbiased.map(({ k, mean, lower, upper }) => {
    const block = group.block.find((one) => one.k === k);
    const blocks = block
      ? `${percent(block.mean)}${block.deviation === null ? '        ' : ` ± ${percent(block.deviation)}`}`
      : '';
    return `  ${String(k).padStart(8)}  ${percent(mean)} [${percent(lower)},${percent(upper)}]   ${blocks}`;
  });
  const published = publishedLines(group.group, format, samplesPerStatement);
  return [title, '    pass@k   unbiased, 95 %         blocks ± std (STP)', ...lines, ...published].join('\n');
}
