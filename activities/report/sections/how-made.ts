/** Headline figures, and the origin of the run: preset, differences from it, models, Lean, seed. */
import { isInWords } from '@stp/config';
import type { RunFigures } from '../figures.ts';
import { escapeHtml, formatNumber, formatShare, section, table } from '../html.ts';

export function headline(run: RunFigures): string {
  const { summary, newlyProved, evaluation } = run;
  const last = summary.provedPerRound.at(-1) ?? summary.provedBaseline;
  const { made, proved } = summary.conjectures;
  const entries: [string, string][] = [
    [
      `${formatNumber(summary.provedBaseline)} → ${formatNumber(last)}`,
      `of ${formatNumber(summary.statements)} statements proved (${formatShare(last, summary.statements)}), baseline → last round`,
    ],
    [formatNumber(newlyProved.count), 'of them not proved by the SFT model'],
    [formatNumber(proved), `conjectures proved, of ${formatNumber(made)} texts`],
    [formatNumber(summary.samples), isInWords(run.config) ? 'samples judged' : 'samples checked by Lean'],
  ];
  if (evaluation !== null)
    entries.push([
      `${formatNumber(evaluation.provedFirst)} → ${formatNumber(evaluation.provedLast)}`,
      `of ${formatNumber(evaluation.statements)} held-out statements, SFT → last model, ${formatNumber(evaluation.samplesPerStatement)} samples each`,
    ]);
  const cards = entries.map(
    ([value, text]) => `<div><strong>${escapeHtml(value)}</strong><span>${escapeHtml(text)}</span></div>`,
  );
  return `<div class="headline">${cards.join('\n')}</div>`;
}

export function howMade(run: RunFigures): string {
  const { config, summary, rounds } = run;
  const changed = Object.entries(run.changed).filter(([key]) => key !== 'seed' && key !== 'rounds');
  const { model } = config;
  const rows: [string, string][] = [
    ['Preset', config.preset],
    [
      'Differs from it in',
      changed.length === 0 ? 'nothing' : changed.map(([key, value]) => `${key} = ${String(value)}`).join('; '),
    ],
    ['Seed', String(config.seed)],
    [
      'Rounds',
      `${Math.max(0, ...rounds.map(({ round }) => round))} of ${config.rounds} played${run.finished ? '' : '; not finished'}`,
    ],
    ['Problem sets', config.data.problemSets.join(', ')],
    [
      'Model',
      `${model.layers} layers of ${model.hiddenSize}, context ${model.contextLength}, vocabulary ${model.vocabularySize}; SFT model ${run.sftModel}`,
    ],
    [
      'SFT',
      `${formatNumber(summary.sft.libraryProofs)} library proofs, ${formatNumber(summary.sft.searchedProofs)} searched, ${formatNumber(summary.sft.conjecturerExamples)} conjecturer examples; ${formatNumber(summary.sft.steps)} steps, loss ${summary.sft.loss.toFixed(3)}`,
    ],
    ['Lean', summary.leanVersion],
    ['Eligible as a result', summary.eligible ? 'yes' : `no: ${summary.ineligibleBecause.join('; ')}`],
  ];
  return section('how-made', 'How it was made', table(['What', 'Value'], rows));
}
