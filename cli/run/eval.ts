/** `stp eval`: evaluates one model on problem sets. It writes STP's log, pass@k and certified proofs. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { type EvaluatedStatements, type EvaluateInput, evaluationReportSchema } from '@stp/config/records';
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
import { findModel, type ModelSource } from '../shared/model-source.ts';
import { freshRunName, runReference } from '../shared/options.ts';
import { type AskedEvaluation, askedEvaluation, type EvalOptions } from './eval-options.ts';
import { describe } from './eval-text.ts';
import { openRunFolder, runLocally } from './local-run.ts';
import { ProgressView } from './progress-view.ts';
import { requireEngine } from './require-engine.ts';

/** A resolved model, or the scripts, which have no folder. */
type Prover = Pick<ModelSource, 'name' | 'round'> & { readonly directory: string | null };

export async function evaluate(options: EvalOptions): Promise<void> {
  const asked = askedEvaluation(options);
  const runDirectory = resolve(options.runDir ?? join('runs', freshRunName('eval')));
  const prover = await findProver(asked, join(runDirectory, 'downloads'));
  await requireEngine(asked.config);
  const { directory, run } = await openRunFolder(runDirectory, asked.config);
  const evaluated = {
    split: options.split,
    nameFilter: options.nameFilter ?? '',
    theorems: options.numTheorems ?? null,
    library: options.library === undefined ? null : runReference(options.library),
  };
  await requireSameEvaluation(directory, run, prover, evaluated);
  const { preset, seed, set } = asked.input;
  const input: EvaluateInput = {
    preset,
    set,
    ...(seed === undefined ? {} : { seed }),
    checkpoint: prover.directory,
    modelName: prover.name,
    round: prover.round,
    ...evaluated,
  };
  const workflow = { type: EVALUATE_TYPE, id: evaluateWorkflowId(run), input, summary: summaryOf(asked, prover) };
  const out = options.json ? process.stderr : process.stdout;
  await runLocally({ directory, view: new ProgressView(out), workflow }, options, async () => {
    const path = join(directory, 'evaluation.json');
    const report = evaluationReportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    const found = report.search === undefined ? '' : `\nSearches: ${join(directory, SEARCH_RESULTS)}`;
    out.write(`${describe(report)}\n\nFigures: ${path}\nLog: ${join(directory, EVALUATION_LOG)}${found}\n`);
  });
}

/** Throws STP1002 for a foreign model that would be shown slots, which it does not know. */
async function findProver({ named, config }: AskedEvaluation, downloads: string): Promise<Prover> {
  if (named === null) return { directory: null, name: 'scripts', round: null };
  const model = await findModel(named, downloads);
  if (model.isForeign && config.prover.slots)
    throw new StpError(
      'STP1002',
      `${named} knows names, and no slots`,
      'Give --format NAME (docs/models.md), or --set prover.slots=false.',
    );
  return model;
}

/** Throws if the folder contains another evaluation. */
async function requireSameEvaluation(
  directory: string,
  run: string,
  prover: Prover,
  evaluated: EvaluatedStatements,
): Promise<void> {
  const subject = await readFile(join(directory, EVALUATION_SUBJECT), 'utf8').catch(() => null);
  if (subject === null) return;
  const model = prover.directory === null ? SCRIPTS_MODEL : await modelIn(prover.directory);
  requireSameSubject(run, evaluationSubjectSchema.parse(JSON.parse(subject)), { model, ...evaluated });
}

function summaryOf({ problemSets, samples, config }: AskedEvaluation, { name }: Prover): string {
  const how = 'search' in config.prover ? 'search' : `${samples} samples`;
  return `evaluation of ${basename(name)} on ${problemSets.join(', ')}, ${how}`.slice(0, 200);
}
