/** The result of `stp eval` as text for a terminal. */
import type { EvaluationGroup, EvaluationReport, SearchFigures } from '@stp/config/records';
import { SCRIPTS_MODEL } from '../../activities/provers/scripts/portfolio.ts';
import { publishedLines } from './published.ts';

/** Formats an evaluation: one block per group, one line per number of samples. */
export function describe(report: EvaluationReport): string {
  const { model, modelName, samplesPerStatement: samples } = report;
  const tried =
    report.search === undefined
      ? `${samples} sample${samples === 1 ? '' : 's'} a statement`
      : 'one search per statement';
  const prover =
    model === SCRIPTS_MODEL
      ? modelName
      : `${modelName} (${model.slice(0, 8)}), ${tried} at temperature ${report.temperature}`;
  const head =
    `${prover}, ${report.leanVersion}` +
    (report.library === undefined ? '' : `, lemmas: ${report.library.theorems} theorems of ${report.library.run}`);
  const loud = report.eligible ? [] : [`NOT ELIGIBLE  ${report.ineligibleBecause.join('; ')}`];
  const search = report.search === undefined ? [] : [describeSearch(report.search)];
  return [
    head,
    ...describeTokens(report),
    ...describeCutOff(report),
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

function describeCutOff({ cutOff, samples }: EvaluationReport): string[] {
  if (cutOff.samples === 0) return [];
  const empty =
    cutOff.empty === 0 ? '' : `; ${cutOff.empty} of them are empty, because the prompt fills the model's context`;
  return [`  ${cutOff.samples} of ${samples} samples ended at the token limit${empty}`];
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

/** Gives both shares, because other provers leave out statements whose search cannot begin. */
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
