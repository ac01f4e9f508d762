/** The report's section on compiled libraries: a sentence for each set, and its areas by round. */
import type { RunFigures } from '../figures.ts';
import { escapeHtml, formatShare, section, table } from '../html.ts';
import { librarySentence, MODULES_CSV } from '../library-progress.ts';

export const LIBRARY_PROGRESS = ['library-progress', 'The library, by area'] as const;
/** Most modules in the table on the page; the file has all. */
const MODULES_SHOWN = 60;

/** Empty where no statement of the run comes from a compiled library. */
export function libraryProgress({ library: { sets, modules } }: RunFigures): string {
  if (sets.length === 0) return '';
  const rounds = modules[0]!.provedPerRound.length;
  const heads = Array.from({ length: rounds }, (_, round) => (round === 0 ? 'At baseline' : `After round ${round}`));
  const cells = (proved: readonly number[], statements: number) =>
    proved.map((count, round) => (round + 1 === rounds ? `${count} (${formatShare(count, statements)})` : count));
  const shown = modules
    .toSorted((a, b) => (b.provedPerRound.at(-1) ?? 0) - (a.provedPerRound.at(-1) ?? 0) || b.statements - a.statements)
    .slice(0, MODULES_SHOWN);
  return section(
    ...LIBRARY_PROGRESS,
    ...sets.flatMap((set) => [
      `<p>${escapeHtml(librarySentence(set))}</p>`,
      table(
        ['Area', 'Statements', ...heads],
        set.areas.map(({ area, statements, provedPerRound }) => [
          area,
          statements,
          ...cells(provedPerRound, statements),
        ]),
        `Training statements of ${set.set} with a certified proof, by area`,
      ),
    ]),
    `<details><summary>By module</summary>${table(
      ['Module', 'Statements', ...heads],
      shown.map(({ module, statements, provedPerRound }) => [module, statements, ...cells(provedPerRound, statements)]),
      modules.length > shown.length
        ? `The ${shown.length} modules with the most proved statements, of ${modules.length}`
        : '',
    )}</details>`,
    `<p class="note"><a href="${MODULES_CSV}">Numbers by module (CSV)</a></p>`,
  );
}
