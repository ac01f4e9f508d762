/** The run's figures, `summary.json`, made from the round manifests. */

import {
  type Evaluation,
  NO_ROUND_COUNTS,
  type PortfolioFigures,
  type PortfolioPart,
  type RoundCounts,
  type RunCost,
  type Summary,
  sumVerdicts,
} from '@stp/config/records';
import type { SecondOpinion } from '../round/certificate-record.ts';
import type { RunState } from '../run/run-state.ts';
import { librarySentence } from './library-progress.ts';

interface Summarised {
  readonly run: string;
  readonly state: RunState;
  readonly evaluation: Evaluation | null;
  readonly leanVersion: string;
  readonly proofsInFile: number;
  readonly ineligibleBecause: readonly string[];
  /** Number of certified proofs by the second kernel's opinion. */
  readonly secondKernel: Readonly<Record<SecondOpinion, number>>;
}

export function summarise({
  run,
  state,
  evaluation,
  leanVersion,
  proofsInFile,
  ineligibleBecause,
  secondKernel,
}: Summarised): Omit<Summary, 'portfolio' | 'cost'> {
  const { outcomes, skipped, config, data, sft } = state;
  const baseline = outcomes.find((outcome) => outcome.round === 0)?.counts.provedEver ?? 0;
  const provedPerRound: number[] = [];
  const rounds: Summary['rounds'] = [];
  for (let round = 0; round < state.nextRound; round++) {
    const outcome = outcomes.find((done) => done.round === round);
    if (outcome) rounds.push({ ...outcome.counts, round, model: outcome.checkpoint.model, skipped: false });
    else if (skipped.includes(round)) rounds.push({ ...NO_ROUND_COUNTS, round, model: '', skipped: true });
    if (round > 0) provedPerRound.push(outcome?.counts.provedEver ?? provedPerRound.at(-1) ?? baseline);
  }
  const sum = (pick: (counts: RoundCounts) => number): number =>
    outcomes.reduce((total, outcome) => total + pick(outcome.counts), 0);
  const verdicts = sumVerdicts(outcomes.map((outcome) => outcome.counts.verdicts));
  return {
    run,
    preset: config.preset,
    leanVersion,
    statements: data.train.count,
    provedBaseline: baseline,
    provedPerRound,
    conjectures: {
      made: sum((counts) => counts.conjecturesMade),
      proved: sum((counts) => counts.conjecturesProved),
      kept: sum((counts) => counts.conjecturesKept),
    },
    samples: sum((counts) => counts.samples),
    verdicts,
    secondsPerStage: { ...state.secondsPerStage },
    sft: {
      libraryProofs: data.counts.libraryProofs,
      searchedProofs: data.counts.searchedProofs,
      conjecturerExamples: data.counts.conjecturerExamples,
      steps: sft.steps,
      loss: sft.loss,
    },
    rounds,
    heldOut: evaluation,
    evaluations: [...state.evaluations],
    secondKernel: { ...secondKernel, disagreed: sum((counts) => counts.kernelsDisagreed) },
    proofsInFile,
    eligible: ineligibleBecause.length === 0,
    ineligibleBecause: [...ineligibleBecause],
  };
}

/** A warning at the top of every table for readers. */
function notEligible({ ineligibleBecause }: Summary): [string, string] {
  return ['NOT ELIGIBLE', ineligibleBecause.join('; ')];
}

function checkedTwice({ accepted, declined, none, disagreed }: Summary['secondKernel']): string {
  const certified = `${accepted} of ${accepted + declined + none} certified proofs`;
  return disagreed === 0 ? certified : `${certified}; THE KERNELS DISAGREE ON ${disagreed}`;
}

/** Describes the results of the portfolio (no learning), for comparison with the run's. */
function portfolioText(
  { proved, statements, untried, heldOut, bySet, recordedWith }: PortfolioFigures,
  share: (count: number, of: number) => string,
): string {
  if (untried === statements && heldOut.untried === heldOut.statements) return 'not tried';
  const sets = Object.entries(bySet).map(([set, its]) => `${set} ${its.proved} of ${its.statements}`);
  const training =
    untried === 0
      ? `${share(proved, statements)}: ${sets.join(', ')}`
      : `${share(proved, statements - untried)} of ${triedOf({ statements, untried })}`;
  return [
    training,
    `held-out ${heldOut.proved} of ${triedOf(heldOut)}`,
    ...(recordedWith === null ? [] : [`what it does not prove was found with ${recordedWith}`]),
  ].join('; ');
}

const triedOf = ({ statements, untried }: Pick<PortfolioPart, 'statements' | 'untried'>): string =>
  untried === 0 ? `${statements}` : `${statements - untried} tried, ${untried} not tried`;

function costText({ usd, machineHours, machines, basis }: RunCost): string {
  const hours = `${machineHours.toFixed(2)} hours of ${machines}`;
  return usd === null ? `${hours}; ${basis}` : `${usd.toFixed(2)} USD for ${hours} (${basis})`;
}

/** Returns the summary as rows of two columns, for terminal and report. */
export function summaryRows(summary: Summary): [string, string][] {
  const share = (count: number, of: number): string =>
    `${count} (${of === 0 ? '–' : ((100 * count) / of).toFixed(1)} %)`;
  const rows: [string, string][] = [
    ['Lean', summary.leanVersion],
    ...(summary.eligible ? [] : [notEligible(summary)]),
    [
      'SFT set',
      `${summary.sft.libraryProofs} library proofs, ${summary.sft.searchedProofs} searched, ${summary.sft.conjecturerExamples} conjecturer examples`,
    ],
    ['statements', String(summary.statements)],
    ['proved at baseline', share(summary.provedBaseline, summary.statements)],
  ];
  for (const [index, proved] of summary.provedPerRound.entries())
    rows.push([`proved after round ${index + 1}`, share(proved, summary.statements)]);
  for (const library of summary.libraries ?? []) rows.push(['library', librarySentence(library)]);
  if (summary.portfolio) rows.push(['scripts alone', portfolioText(summary.portfolio, share)]);
  const { made, proved, kept } = summary.conjectures;
  rows.push(['conjectures', `${made} made, ${proved} proved, ${kept} kept`]);
  rows.push(['samples', String(summary.samples)]);
  const verdicts = Object.entries(summary.verdicts).sort(([, a], [, b]) => b - a);
  rows.push(['verdicts', verdicts.map(([kind, count]) => `${kind} ${count}`).join(', ')]);
  if (summary.heldOut) {
    const { statements, samplesPerStatement, provedFirst, provedLast, provedFirstWithLemmas, withScripts } =
      summary.heldOut;
    rows.push([
      'held-out',
      `${provedFirst} → ${provedLast} of ${statements} proved (SFT model → last model, ${samplesPerStatement} samples each)`,
    ]);
    if (provedFirstWithLemmas !== undefined)
      rows.push(['held-out, SFT model', `${provedFirstWithLemmas} proved with the lemmas that the last model has`]);
    if (withScripts)
      rows.push(['held-out, with scripts', `${withScripts.first} → ${share(withScripts.last, statements)} proved`]);
  }
  rows.push([
    'seconds',
    Object.entries(summary.secondsPerStage)
      .filter(([, s]) => s >= 0.05)
      .map(([stage, s]) => `${stage} ${s.toFixed(1)}`)
      .join(', '),
  ]);
  rows.push(['cost', costText(summary.cost)]);
  for (const { url, text } of summary.tracking ?? []) rows.push(['tracked in', url ?? text]);
  rows.push(['proofs kept', String(summary.proofsInFile)]);
  rows.push(['checked twice', checkedTwice(summary.secondKernel)]);
  return rows;
}
