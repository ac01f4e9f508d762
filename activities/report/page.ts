/** `report.html`: one self-contained page without scripts or external files, for light and dark, wide and narrow. */

import { isInWords, triesActions } from '@stp/config';
import { OBJECTIVE_SECTIONS } from '../objectives/index.ts';
import { PROVER_SECTIONS } from '../provers/index.ts';
import { actionsSection } from '../provers/scripts/section.ts';
import type { RunFigures } from './figures.ts';
import { escapeHtml, formatShare, note, section, table } from './html.ts';
import { figures, type Plot } from './plot.ts';
import { chooserTable } from './sections/choosers.ts';
import { comparison } from './sections/comparison.ts';
import { failures } from './sections/failures.ts';
import { headline, howMade } from './sections/how-made.ts';
import { LIBRARY_PROGRESS, libraryProgress } from './sections/library-progress.ts';
import {
  costTable,
  curriculumTable,
  foundByTable,
  gateTable,
  libraryText,
  roundsTable,
  secondKernelText,
} from './sections/rounds.ts';
import { theorems } from './sections/theorems.ts';
import { STYLE } from './style.ts';

/** Plots by section of the page. */
export interface PagePlots {
  readonly proved: readonly (Plot | null)[];
  readonly conjectures: readonly (Plot | null)[];
  readonly rates: readonly (Plot | null)[];
  readonly costs: readonly (Plot | null)[];
  readonly library: Plot | null;
}

const PROVED = ['proved', 'Proved'] as const;
const CONTENTS: readonly (readonly [string, string])[] = [
  ['conjectures', 'Conjectures'],
  ['rates', 'Pass rates'],
  ['costs', 'Verdicts, time and cost'],
  ['theorems', 'New theorems'],
  ['failures', 'Failures'],
  ['library', 'Library'],
  ['how-made', 'How it was made'],
];

/** @param runs the run that the page is about, then the runs for comparison */
export function reportPage(runs: readonly [RunFigures, ...RunFigures[]], plots: PagePlots): string {
  const [run] = runs;
  const compared = runs.length > 1;
  const contents = [
    ...(compared ? [['comparison', 'Runs compared'] as const] : []),
    PROVED,
    ...(run.library.sets.length === 0 ? [] : [LIBRARY_PROGRESS]),
    ...CONTENTS,
  ];
  const lead = [
    `Preset ${run.config.preset}`,
    `seed ${run.config.seed}`,
    run.summary.leanVersion,
    ...(run.summary.eligible ? [] : [`not eligible as a result: ${run.summary.ineligibleBecause.join('; ')}`]),
    run.finished ? 'finished' : 'not finished: what is there so far',
  ];
  const conjectures = figures(plots.conjectures);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>Self-play run ${escapeHtml(run.run)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Self-play run ${escapeHtml(run.run)}</h1>
${note(`${lead.join(' · ')}.${isInWords(run.config) ? '' : ' Lean compiled every proof below, and its compiled module was judged.'}`)}
${trackedIn(run)}
<nav aria-label="Contents">${contents.map(([id, title]) => `<a href="#${id}">${escapeHtml(title)}</a>`).join(' ')}</nav>
</header>
<main>
${headline(run)}
${compared ? comparison(runs) : ''}
${section('proved', 'What was proved', figures(plots.proved), roundsTable(run), foundByTable(run), methodTables(run), secondKernelText(run), heldOutTable(runs))}
${libraryProgress(run)}
${section(
  'conjectures',
  'Conjectures',
  conjectures === '' ? note('No conjecture was made in this run so far.') : conjectures,
  chooserTable(run),
  gateTable(run),
  curriculumTable(run),
)}
${section('rates', 'Pass rates', figures(plots.rates) || note('Nothing was attempted yet.'))}
${section('costs', 'Verdicts, time and cost', figures(plots.costs), costTable(run))}
${theorems(run)}
${failures(run)}
${section('library', 'Library', libraryText(run), figures([plots.library]))}
${howMade(run)}
</main>
</body>
</html>
`;
}

/** Returns the tables of the run's prover and objective, if they have one and a round has ended. */
function methodTables({ config, rounds }: RunFigures): string {
  if (rounds.length === 0) return '';
  const own = [
    PROVER_SECTIONS[config.prover.mode]?.(rounds),
    triesActions(config.prover) ? actionsSection(rounds) : undefined,
    OBJECTIVE_SECTIONS[config.objective.kind]?.(rounds),
  ];
  return own
    .map((section) => (section === undefined ? '' : table(section.heads, section.rows, section.caption)))
    .join('');
}

/** Links to the run in trackers. */
function trackedIn({ summary: { tracking = [] } }: RunFigures): string {
  if (tracking.length === 0) return '';
  const links = tracking.map(({ url, text }) =>
    url === null ? `<code>${escapeHtml(text)}</code>` : `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  );
  return `<p class="note">Also in: ${links.join(' · ')}</p>`;
}

/** Table of held-out statements proved: by the first and last model of every run, and between rounds if configured. */
function heldOutTable(runs: readonly RunFigures[]): string {
  const rows = runs.flatMap(({ run, evaluation, summary }) => {
    const name = runs.length > 1 ? `${run}: ` : '';
    const row = (model: string, of: number, samples: number | string, proved: number): (string | number)[] => [
      `${name}${model}`,
      samples,
      of,
      `${proved} (${formatShare(proved, of)})`,
    ];
    const between = summary.evaluations.map((entry) =>
      row(
        entry.round === 0 ? 'after the baseline' : `after round ${entry.round}`,
        entry.statements,
        entry.samplesPerStatement,
        entry.proved,
      ),
    );
    const { portfolio } = summary;
    // Untried statements say nothing about the scripts.
    const tried = portfolio ? portfolio.heldOut.statements - portfolio.heldOut.untried : 0;
    if (portfolio && tried > 0) between.push(row('fixed list of scripts', tried, '–', portfolio.heldOut.proved));
    if (evaluation === null) return between;
    const { statements, samplesPerStatement, provedFirst, provedLast, provedFirstWithLemmas, withScripts } = evaluation;
    const scripted = (model: string, proved: number) =>
      row(`${model}, and scripts`, statements, samplesPerStatement, proved);
    return [
      row('SFT model', statements, samplesPerStatement, provedFirst),
      ...(withScripts ? [scripted('SFT model', withScripts.first)] : []),
      ...between,
      ...(provedFirstWithLemmas === undefined
        ? []
        : [row('SFT model, with the run’s lemmas', statements, samplesPerStatement, provedFirstWithLemmas)]),
      row('last model', statements, samplesPerStatement, provedLast),
      ...(withScripts ? [scripted('last model', withScripts.last)] : []),
    ];
  });
  if (rows.length === 0) return note('No model was evaluated on held-out statements so far.');
  return table(
    ['Model', 'Samples each', 'Held-out statements', 'Proved'],
    rows,
    'Held-out statements, which neither selection nor training sees',
  );
}
