/** The best new theorems with their proofs. Lists are capped; `proofs.lean` has all. */
import type { Proved } from '@stp/config/records';
import type { RunFigures } from '../figures.ts';
import { escapeHtml, note, section } from '../html.ts';

/** Most characters of a theorem that are shown; longer ones are cut to keep the page readable. */
const CODE_CHARS_MAX = 4_000;
/** Number of theorems shown at once; the rest of a list is folded. */
const OPEN_MAX = 6;

export function theorems(run: RunFigures): string {
  const { count, listed } = run.newlyProved;
  const which = listed.length < count ? ` ${listed.length} of them are listed; proofs.lean has all.` : '';
  const lists = [
    list(
      'Statements the SFT model did not prove',
      `${count} in all, proved by scripts or by a later model.${which} Lowest pass rate first.`,
      listed,
    ),
    list('Hardest conjectures proved', 'Theorems that the run proposed itself, lowest pass rate first.', run.hardest),
  ];
  return section('theorems', 'New theorems', ...lists);
}

function list(title: string, text: string, entries: readonly Proved[]): string {
  const heading = `<h3>${escapeHtml(title)}</h3>`;
  if (entries.length === 0) return `${heading}${note('None.')}`;
  const grid = (shown: readonly Proved[]): string => `<div class="theorems">\n${shown.map(theorem).join('\n')}\n</div>`;
  const open = grid(entries.slice(0, OPEN_MAX));
  const rest = entries.slice(OPEN_MAX);
  const folded = rest.length === 0 ? '' : `<details><summary>${rest.length} more</summary>\n${grid(rest)}\n</details>`;
  return [heading, note(text), open, folded].join('\n');
}

function theorem(proof: Proved): string {
  const facts = [
    `round ${proof.round}`,
    `pass rate ${proof.passRate.toFixed(3)}`,
    `model ${proof.model.slice(0, 8)}`,
    `seed ${proof.seed}`,
  ];
  return [
    `<article><h4>${escapeHtml(proof.name)}</h4>`,
    `<pre tabindex="0"><code>${escapeHtml(code(proof))}</code></pre>`,
    note(facts.join(' · ')),
    `<details><summary>Certificate</summary>${note(certificate(proof))}</details></article>`,
  ].join('\n');
}

function code(proof: Proved): string {
  const body = proof.proof
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
  const text = `${proof.statement} := by\n${body}`;
  if (text.length <= CODE_CHARS_MAX) return text;
  return `${text.slice(0, CODE_CHARS_MAX)}\n… ${text.length - CODE_CHARS_MAX} characters more`;
}

/**
 * Lists Lean's three axioms first. If Lean's library has no proofs, its theorems count as axioms, and only some are
 * named.
 */
const AXIOMS_NAMED_MAX = 5;
const STANDARD_AXIOMS = ['propext', 'Quot.sound', 'Classical.choice'];

function listed(axioms: readonly string[]): string {
  const ordered = [
    ...STANDARD_AXIOMS.filter((name) => axioms.includes(name)),
    ...axioms.filter((name) => !STANDARD_AXIOMS.includes(name)),
  ];
  const named = ordered.slice(0, AXIOMS_NAMED_MAX).join(', ');
  const more = ordered.length - AXIOMS_NAMED_MAX;
  return more > 0 ? `${named} and ${more} more of the toolchain’s own library (the rest stands in rounds/)` : named;
}

function certificate({ certificate: found }: Proved): string {
  const axioms = found.axioms.length === 0 ? 'no axioms' : `axioms ${listed(found.axioms)}`;
  const { checks, claim, sandbox } = found;
  const passed = checks.filter(({ outcome }) => outcome === 'accepted').map(({ by }) => by);
  const others = checks.filter(({ outcome }) => outcome !== 'accepted').map(({ by, outcome }) => `${by} ${outcome}`);
  return [
    `Certified by ${found.leanVersion} (${claim}): ${axioms}`,
    `file hash ${found.fileHash.slice(0, 12)}`,
    ...(passed.length === 0 ? [] : [`checks: ${[...passed, ...others].join(', ')}`]),
    sandbox.kind === 'none' ? 'no sandbox' : sandbox.description,
  ].join('; ');
}
