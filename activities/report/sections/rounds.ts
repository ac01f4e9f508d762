/** Tables over rounds: proved statements, the gate's counts, cost, and the library. */
import type { RunCost } from '@stp/config/records';
import { displayStatement } from '@stp/selfplay';
import type { RunFigures } from '../figures.ts';
import { funnel, GATE_REASONS } from '../funnel.ts';
import { formatSeconds, note, table } from '../html.ts';

const nameOfRound = (round: number): string => (round === 0 ? 'baseline' : String(round));

export function roundsTable(run: RunFigures): string {
  const hasScripts = run.summary.rounds.some(({ provedByScripts }) => provedByScripts !== undefined);
  const heads = [
    'Round',
    'Attempted',
    'Proved',
    ...(hasScripts ? ['By scripts alone', 'Conjectures by scripts alone'] : []),
    'Ever',
    'Samples',
    'Proofs certified',
    'Train the prover',
    'Train the conjecturer',
  ];
  const rows = run.summary.rounds.map((round): (string | number)[] =>
    round.skipped
      ? [`${nameOfRound(round.round)}, skipped`, ...heads.slice(1).map(() => '')]
      : [
          nameOfRound(round.round),
          round.attempted,
          round.provedThisRound,
          ...(hasScripts ? [round.provedByScripts?.statements ?? 0, round.provedByScripts?.conjectures ?? 0] : []),
          round.provedEver,
          round.samples,
          round.certified,
          round.proverExamples,
          round.conjecturerExamples,
        ],
  );
  return table(
    heads,
    rows,
    'Statements of the dataset, attempted and proved. Samples and proofs count those of conjectures too',
  );
}

/**
 * Table of statements by what proved them. Scripts try only statements that samples leave unproved, so “both” means in
 * different rounds.
 */
export function foundByTable(run: RunFigures): string {
  if (!run.summary.rounds.some(({ provedByScripts }) => provedByScripts !== undefined)) return '';
  const rows = (['dataset', 'conjecture'] as const).map((origin) => {
    const { samplesOnly, scriptsOnly, both } = run.foundBy[origin];
    return [origin === 'dataset' ? 'statements' : 'conjectures', samplesOnly, scriptsOnly, both];
  });
  const caption =
    'Who found proofs, all rounds together. Scripts try what samples leave unproved, so both found one only where they did so in different rounds';
  return table(['Proved', 'By samples only', 'By scripts only', 'By both'], rows, caption);
}

/** Says how many certified proofs two independent kernels have checked. */
export function secondKernelText(run: RunFigures): string {
  const { accepted, declined, none, disagreed } = run.summary.secondKernel;
  const parts = [
    `Checked twice, by Lean’s kernel and by ours: ${accepted} of ${accepted + declined + none} certified proofs.`,
    ...(declined === 0 ? [] : [`Of ${declined} ours could not tell.`]),
    ...(none === 0 ? [] : [`Ours was not asked about ${none}.`]),
    ...(disagreed === 0 ? [] : [`They disagree on ${disagreed}, not certified: one of the two is wrong (STP1802).`]),
  ];
  return note(parts.join(' '));
}

/** Table of the reasons why the gate refused texts; only reasons that occurred have a column. */
export function gateTable(run: RunFigures): string {
  const rounds = run.rounds.filter(({ counts }) => counts.conjecturesMade > 0);
  if (rounds.length === 0) return '';
  const reasons = GATE_REASONS.filter((reason) => rounds.some(({ counts }) => (counts.gate[reason] ?? 0) > 0));
  const left = new Map(funnel(run).map((entry) => [entry.round, entry.left]));
  const rows = rounds.map(({ round, counts }) => [
    String(round),
    counts.conjecturesMade,
    ...reasons.map((reason) => counts.gate[reason] ?? 0),
    counts.conjecturesAttempted,
    counts.conjecturesProved,
    left.get(round)!['in band'],
    counts.conjecturesKept,
    counts.conjecturesMatched,
  ]);
  const heads = [
    'Round',
    'Texts',
    ...reasons.map((reason) => reason.replaceAll('-', ' ')),
    'attempted',
    'proved',
    'in band',
    'kept',
    'matched',
  ];
  return table(heads, rows, 'Refused by the gate, by reason, and what became of the others');
}

/**
 * Table that shows whether conjectures stay many and different, and whether they are used. Rounds without conjectures
 * have no row.
 */
export function curriculumTable(run: RunFigures): string {
  const rows = run.rounds
    .filter(({ counts }) => counts.conjecturesAttempted > 0)
    .map(({ round, counts, functionSets, chain, firstProved, libraryGrown, checkMs }) => [
      String(round),
      counts.conjecturesAttempted,
      counts.conjecturesProved,
      functionSets.attempted,
      functionSets.proved,
      chain,
      firstProved.statements,
      firstProved.onConjectures,
      libraryGrown,
      counts.distinctSamples === 0 ? '–' : Math.round(checkMs / counts.distinctSamples),
    ]);
  if (rows.length === 0) return '';
  return table(
    [
      'Round',
      'Conjectures',
      'Proved',
      'Function sets',
      'Of proved ones',
      'Longest chain of lemmas',
      'Statements first proved',
      'Only by conjectures',
      'Library',
      'Lean, ms a sample',
    ],
    rows,
    'Conjectures, and the different sets of functions that they mention. Chain: lemmas of the run that rest on one another. Only by conjectures: statements whose every proof rests on a conjecture. Library: theorems of the run that the round could use',
  );
}

export function costTable(run: RunFigures): string {
  const { cost } = run.summary;
  const spent = (line: RunCost['lines'][number] | undefined): string[] => [
    line?.machineHours.toFixed(2) ?? '',
    line?.usd?.toFixed(2) ?? '',
  ];
  const lineOf = (until: number | string) => cost.lines.find((line) => line.until === until);
  /** Makes a row for the time outside all rounds, which has machines alone. */
  const outer = (name: string, until: string): string[][] =>
    lineOf(until) === undefined ? [] : [[name, '', '', '', '', '', ...spent(lineOf(until))]];
  const rows = run.rounds.map(({ round, counts, checkMs, secondsPerStage }): (string | number)[] => [
    nameOfRound(round),
    counts.tokens,
    counts.samples,
    counts.distinctSamples,
    formatSeconds(checkMs / 1_000),
    formatSeconds(Object.values(secondsPerStage).reduce((sum, seconds) => sum + seconds, 0)),
    ...spent(lineOf(round)),
  ]);
  rows.unshift(...outer('before the rounds', 'start'));
  rows.push(...outer('after the rounds', 'report'));
  const sum = (pick: (round: RunFigures['rounds'][number]) => number): number =>
    run.rounds.reduce((total, round) => total + pick(round), 0);
  rows.push([
    'all',
    sum(({ counts }) => counts.tokens),
    sum(({ counts }) => counts.samples),
    sum(({ counts }) => counts.distinctSamples),
    formatSeconds(sum(({ checkMs }) => checkMs) / 1_000),
    formatSeconds(sum(({ secondsPerStage }) => Object.values(secondsPerStage).reduce((a, b) => a + b, 0))),
    cost.machineHours.toFixed(2),
    cost.usd?.toFixed(2) ?? '',
  ]);
  const outside = Object.entries(run.summary.secondsPerStage)
    .filter(([stage, seconds]) => seconds >= 0.05 && !run.rounds.some((round) => stage in round.secondsPerStage))
    .map(([stage, seconds]) => `${stage} ${formatSeconds(seconds)}`);
  return [
    table(
      ['Round', 'Tokens of proofs', 'Samples', 'Distinct', 'Lean time', 'Wall time', 'Machine hours', 'USD'],
      rows,
      'Cost. Lean time is processor time, summed over distinct samples; a verdict from the cache costs what it cost when it was made',
    ),
    note(`Machines: ${cost.machines}; ${cost.basis}.`),
    outside.length === 0 ? '' : note(`Outside rounds: ${outside.join(', ')}.`),
  ].join('\n');
}

export function libraryText(run: RunFigures): string {
  if (run.config.library === 'fixed')
    return note('The library is fixed, as STP’s: conjectures that were proved are no lemmas of later rounds.');
  const last = run.rounds.at(-1);
  const uses = run.rounds.reduce((sum, { proofsWithGrown }) => sum + proofsWithGrown, 0);
  const { conjecturesUsed, statementsUsed, listed } = run.lemmas;
  const text = note(
    `The library grows: ${last?.libraryGrown ?? 0} theorems could be used for the statements of the last round; ${uses} certified proofs of all rounds rest on one, and ${conjecturesUsed} conjectures and ${statementsUsed} statements of the dataset carry them.`,
  );
  if (listed.length === 0) return text;
  const rows = listed.map(({ name, round, origin, statement, proofs, statements, example }) => [
    name,
    displayStatement(statement),
    origin,
    round,
    proofs,
    statements,
    example ?? '–',
  ]);
  const heads = ['Lemma', 'Statement', 'From', 'Round', 'Proofs', 'Statements', 'One of these'];
  const caption =
    'Theorems of the run that proofs rest on, as their compiled objects say: certified proofs, and statements of the dataset';
  return [text, table(heads, rows, caption)].join('\n');
}
