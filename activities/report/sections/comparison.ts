/** Compares several runs at the end of each and at a number of samples that all reached. */
import type { RunFigures } from '../figures.ts';
import { formatNumber, formatSeconds, formatShare, note, section, table } from '../html.ts';
import { methods, shareAt } from '../progress.ts';

export function comparison(runs: readonly RunFigures[]): string {
  const common = Math.min(...runs.map(({ progress }) => progress.at(-1)!.samples));
  const rows = methods(runs).flatMap(({ label, runs: members }) =>
    members.map((run) => {
      const { summary, evaluation } = run;
      const last = summary.provedPerRound.at(-1) ?? summary.provedBaseline;
      return [
        run.run,
        label,
        run.config.seed,
        summary.samples,
        `${last} (${formatShare(last, summary.statements)})`,
        `${(100 * shareAt(run.progress, summary.statements, common)).toFixed(1)} %`,
        summary.conjectures.proved,
        evaluation === null ? '–' : `${evaluation.provedLast} of ${evaluation.statements}`,
        formatSeconds(run.rounds.reduce((sum, { checkMs }) => sum + checkMs, 0) / 1_000),
      ];
    }),
  );
  const at = `Proved at ${formatNumber(common)} samples`;
  return section(
    'comparison',
    'Runs compared',
    table(
      ['Run', 'Method', 'Seed', 'Samples', 'Statements proved', at, 'Conjectures proved', 'Held-out', 'Lean time'],
      rows,
      'One row a run',
    ),
    note(
      'Runs of the same configuration up to seed and rounds are one method. The rest of this page is about the first run, but for plots that name several.',
    ),
  );
}
