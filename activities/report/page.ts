/** `report.html`: one self-contained page, light and dark, that reads on a phone too. No script, nothing fetched. */
import type { Proved } from '../../data/schemas/records.ts';
import type { Summary } from '../../data/schemas/round.ts';
import type { Plot } from './plots.ts';
import { summaryRows } from './summary.ts';

export interface PageContent {
  readonly summary: Summary;
  readonly plots: readonly Plot[];
  /** Statements of the dataset that the SFT model did not prove and a later model did, with a shortest proof each. */
  readonly newlyProved: readonly Proved[];
  /** Proved conjectures with the lowest pass rates. */
  readonly conjectures: readonly Proved[];
}

/** Entries listed in full; the rest is in proofs.lean. */
const LISTED_MAX = 40;

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function proofList(title: string, note: string, proofs: readonly Proved[]): string {
  if (proofs.length === 0) return `<section><h2>${title}</h2><p class="note">None in this run.</p></section>`;
  const entries = proofs.slice(0, LISTED_MAX).map((proof) => {
    const body = proof.proof
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n');
    const label = `${escapeHtml(proof.name)} · round ${proof.round} · pass rate ${proof.passRate.toFixed(3)}`;
    return `<details open><summary>${label}</summary><pre><code>${escapeHtml(`${proof.statement} := by\n${body}`)}</code></pre></details>`;
  });
  const more =
    proofs.length > LISTED_MAX ? `<p class="note">${proofs.length - LISTED_MAX} more in proofs.lean.</p>` : '';
  return `<section><h2>${title}</h2><p class="note">${note}</p>${entries.join('\n')}${more}</section>`;
}

export function reportPage(content: PageContent): string {
  const { summary } = content;
  const last = summary.provedPerRound.at(-1) ?? summary.provedBaseline;
  const figures: [string, string][] = [
    [`${summary.provedBaseline} → ${last}`, `of ${summary.statements} statements proved, baseline → last round`],
    [String(summary.conjectures.proved), `conjectures proved of ${summary.conjectures.made} made`],
    [String(summary.samples), 'samples checked by Lean'],
    [String(content.newlyProved.length), 'statements the SFT model did not prove'],
  ];
  const rows = summaryRows(summary).map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const roundRows = summary.rounds.map((round) =>
    [
      round.round === 0 ? 'baseline' : String(round.round),
      ...(round.skipped
        ? ['skipped', '', '', '', '', '', '', '']
        : [
            `${round.provedThisRound}`,
            `${round.provedEver}`,
            `${round.samples}`,
            `${round.conjecturesMade}`,
            `${round.conjecturesAttempted}`,
            `${round.conjecturesProved}`,
            `${round.conjecturesKept}`,
            `${round.proverExamples}`,
          ]),
    ]
      .map((cell, index) => (index === 0 ? `<th scope="row">${cell}</th>` : `<td>${cell}</td>`))
      .join(''),
  );
  const heads = ['round', 'proved', 'ever', 'samples', 'made', 'attempted', 'proved', 'kept', 'proofs trained on'];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Self-play run ${escapeHtml(summary.run)}</title>
<style>
:root { --ink: #1d2329; --muted: #5b6570; --rule: #dfe3e8; --accent: #3b7dd8; --page: #ffffff; --card: #f6f7f9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebef; --muted: #9aa5b1; --rule: #343b44; --accent: #6ba3ec; --page: #14181d; --card: #1c2229; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
.note, figcaption { color: var(--muted); font-size: .875rem; margin: .25rem 0 .75rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.figures div { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; }
.figures strong { display: block; font-size: 1.5rem; line-height: 1.2; } .figures span { color: var(--muted); font-size: .85rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: 1rem; overflow-x: auto; }
figure h3 { margin: 0 0 .5rem; font-size: 1rem; } figure svg { max-width: 100%; height: auto; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; } .rounds td { text-align: right; font-variant-numeric: tabular-nums; } .rounds thead th + th { text-align: right; }
pre { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; overflow-x: auto; margin: .25rem 0 .75rem; }
code { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; } summary { cursor: pointer; color: var(--muted); font-size: .9rem; }
</style>
</head>
<body>
<h1>Self-play run ${escapeHtml(summary.run)}</h1>
<p class="note">Preset ${escapeHtml(summary.preset)} · ${escapeHtml(summary.leanVersion)} · every proof below was accepted by Lean and checked again in a fresh process.</p>
<div class="figures">${figures.map(([value, text]) => `<div><strong>${escapeHtml(value)}</strong><span>${escapeHtml(text)}</span></div>`).join('')}</div>
<section class="plots">
${content.plots.map((plot) => `<figure><h3>${escapeHtml(plot.title)}</h3>${plot.svg}<figcaption>${escapeHtml(plot.caption)}</figcaption></figure>`).join('\n')}
</section>
<section><h2>The run in numbers</h2><div class="scroll"><table>${rows.join('\n')}</table></div></section>
<section><h2>Rounds</h2><div class="scroll"><table class="rounds"><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${roundRows.map((row) => `<tr>${row}</tr>`).join('\n')}</tbody></table></div>
<p class="note">“proved” and “ever” count dataset statements; made, attempted, proved and kept count conjectures.</p></section>
${proofList('Newly proved statements', 'The SFT model proved none of these in its samples; a later model did.', content.newlyProved)}
${proofList('Hardest conjectures proved', 'Theorems the model made up, lowest pass rate first.', content.conjectures)}
</body>
</html>
`;
}
