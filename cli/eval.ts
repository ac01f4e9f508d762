/** `stp eval`: evaluates one model on problem sets; results are STP's log, pass@k and certified proofs. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { EVALUATION_LOG } from '../activities/evaluation/evaluation-log.ts';
import {
  EVALUATION_SUBJECT,
  evaluationSubjectSchema,
  requireSameSubject,
} from '../activities/evaluation/evaluation-subject.ts';
import { PORTFOLIO } from '../activities/round/portfolio.ts';
import {
  type EvaluatedSplit,
  type EvaluateInput,
  type EvaluationGroup,
  type EvaluationReport,
  evaluationReportSchema,
} from '../data/schemas/evaluation.ts';
import { readManifest } from '../model/checkpoint/checkpoint.ts';
import { EVALUATE_TYPE, evaluateWorkflowId } from '../workflows/control/contracts.ts';
import { type LocalRunOptions, openRunFolder, runLocally } from './local-run.ts';
import { findModel } from './model-source.ts';
import { freshRunName, type RunOptions, startInput } from './options.ts';
import { ProgressView } from './progress-view.ts';

export interface EvalOptions extends RunOptions, LocalRunOptions {
  readonly model: string;
  /** Comma-separated. */
  readonly problems: string;
  readonly samples: number;
  readonly temperature?: number;
  readonly split: EvaluatedSplit;
  readonly runDir?: string;
  readonly json?: boolean;
}

export async function evaluate(options: EvalOptions): Promise<void> {
  const sets = options.problems.split(',').map((set) => set.trim());
  const { input, config } = startInput({
    ...options,
    set: {
      ...options.set,
      'data.problemSets': JSON.stringify(sets),
      // The portfolio gives one answer per statement.
      'sampling.samplesPerStatement': String(options.model === PORTFOLIO ? 1 : options.samples),
      ...(options.temperature === undefined ? {} : { 'sampling.temperature': String(options.temperature) }),
    },
  });
  const runDirectory = resolve(options.runDir ?? join('runs', freshRunName('eval')));
  const model =
    options.model === PORTFOLIO
      ? { directory: PORTFOLIO, name: PORTFOLIO, round: null }
      : await findModel(options.model, join(runDirectory, 'downloads'));
  const { directory, run } = await openRunFolder(runDirectory, config);
  const subject = await readFile(join(directory, EVALUATION_SUBJECT), 'utf8').catch(() => null);
  if (subject !== null)
    requireSameSubject(run, evaluationSubjectSchema.parse(JSON.parse(subject)), {
      model: options.model === PORTFOLIO ? PORTFOLIO : (await readManifest(model.directory)).model,
      split: options.split,
    });
  const { preset, seed, set } = input;
  const evaluateInput: EvaluateInput = {
    preset,
    set,
    ...(seed === undefined ? {} : { seed }),
    checkpoint: model.directory,
    modelName: model.name,
    round: model.round,
    split: options.split,
  };
  const out = options.json ? process.stderr : process.stdout;
  const workflow = {
    type: EVALUATE_TYPE,
    id: evaluateWorkflowId(run),
    input: evaluateInput,
    summary:
      `evaluation of ${basename(model.name)} on ${sets.join(', ')}, ${config.sampling.samplesPerStatement} samples`.slice(
        0,
        200,
      ),
  };
  await runLocally({ directory, view: new ProgressView(out), workflow }, options, async () => {
    const path = join(directory, 'evaluation.json');
    const report = evaluationReportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    out.write(`${describe(report)}\n\nFigures: ${path}\nLog: ${join(directory, EVALUATION_LOG)}\n`);
  });
}

/** The evaluation as text: one block per group, one line per number of samples. */
export function describe(report: EvaluationReport): string {
  const head =
    `${report.modelName} (${report.model.slice(0, 8)}), ${report.samplesPerStatement} samples a statement at ` +
    `temperature ${report.temperature}, ${report.leanVersion}`;
  const loud = report.eligible ? [] : [`NOT ELIGIBLE  ${report.ineligibleBecause.join('; ')}`];
  return [head, ...loud, ...report.groups.map(describeGroup)].join('\n\n');
}

function describeGroup(group: EvaluationGroup): string {
  const title =
    `  ${group.group}: ${group.proved} of ${group.statements} statements proved, ` +
    `${group.certified} with a certified proof`;
  if (group.refused !== null) return `${title}\n  no pass@k: ${group.refused}`;
  const percent = (share: number): string => (100 * share).toFixed(1).padStart(5);
  const lines = group.unbiased.map(({ k, mean, lower, upper }) => {
    const block = group.block.find((one) => one.k === k);
    const blocks = block
      ? `${percent(block.mean)}${block.deviation === null ? '        ' : ` ± ${percent(block.deviation)}`}`
      : '';
    return `  ${String(k).padStart(8)}  ${percent(mean)} [${percent(lower)},${percent(upper)}]   ${blocks}`;
  });
  return [title, '    pass@k   unbiased, 95 %         blocks ± std (STP)', ...lines].join('\n');
}
