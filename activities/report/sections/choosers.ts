/** The report's table of choosers: how many conjectures each chose, and what came of them. */
import { CHOOSERS, type Chooser, type RankerFigures } from '@stp/config/records';
import type { RunFigures } from '../figures.ts';
import { formatNumber, formatShare, note, table } from '../html.ts';

/** Makes the table; empty where the summary has no choosers. */
export function chooserTable({ summary: { conjectures }, rounds }: RunFigures): string {
  if (conjectures.by === undefined) return '';
  const all = Object.values(conjectures.by).reduce((sum, { attempted }) => sum + attempted, 0);
  const rows = CHOOSERS.filter((chooser) => conjectures.by![chooser].attempted > 0).map((chooser) => {
    const { attempted, proved, used } = conjectures.by![chooser];
    return [CHOSEN[chooser], attempted, formatShare(attempted, all), proved, used, formatShare(used, attempted)];
  });
  const learned = rounds.flatMap(({ round, counts: { ranker, conjecturerExamples } }) =>
    ranker === undefined
      ? []
      : [
          `Round ${round}: ${rankedBy(ranker)}; ${formatNumber(conjecturerExamples)} examples trained the writer after it.`,
        ],
  );
  return [
    table(
      ['Conjectures', 'Attempted', 'Of all', 'Proved', 'Later proofs rest on', 'Of attempted'],
      rows,
      'Conjectures by who chose them at their first attempt. Later proofs rest on those that their compiled modules mention',
    ),
    learned.length === 0 ? '' : note(learned.join(' ')),
  ].join('\n');
}

const CHOSEN: Readonly<Record<Chooser, string>> = {
  order: 'in exploration’s order',
  ranked: 'explored, chosen by the ranker',
  written: 'written by the model',
};

const rankedBy = ({ examples, paying }: RankerFigures): string =>
  paying === 0 || paying === examples
    ? `the ranker had ${formatNumber(examples)} examples and could learn nothing from them, so exploration’s order stood`
    : `the ranker learned from ${formatNumber(examples)} examples, ${formatNumber(paying)} of which paid`;
