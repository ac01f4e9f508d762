/** Counts the theorems of compiled modules by outcome, and writes the set's card. */
import type { SetOrigin } from '@stp/datasets';
import {
  areaOf,
  type CompiledModuleStatements,
  LEFT_OUT,
  type LeftOut,
  type UnreadableModule,
} from '@stp/lean-explore';

/** Maximum printed examples for each reason of omission, and maximum lines of each list in the card. */
const EXAMPLES_MAX = 3;
const LINES_MAX = 50;
/** Reasons for theorems that should not become statements, as opposed to those that could not. */
const NOT_ELIGIBLE: readonly LeftOut[] = [
  ...(['private', 'generated', 'unasked', 'deprecated', 'tactic', 'own', 'repeated', 'long'] as const),
];

export interface CompiledCounts {
  modules: number;
  statements: number;
  train: number;
  heldOut: number;
  /** Modules whose headers load only the module's own imports. */
  narrow: number;
  readonly leftOut: Partial<Record<LeftOut, number>>;
  readonly examples: string[];
  readonly areas: Record<string, number>;
  readonly unreadable: UnreadableModule[];
  /** Library theorems that prompts and scripts may name. */
  premises: number;
  /** Statements printed with all implicit arguments. */
  explicit: number;
}

export function noCounts(unreadable: readonly UnreadableModule[]): CompiledCounts {
  return {
    modules: 0,
    statements: 0,
    premises: 0,
    train: 0,
    heldOut: 0,
    narrow: 0,
    explicit: 0,
    ...{ leftOut: {}, examples: [], areas: {}, unreadable: [...unreadable] },
  };
}

export function countModule(counts: CompiledCounts, stated: CompiledModuleStatements): void {
  const { module, theorems, leftOut, examples, isNarrow, problem } = stated;
  if (problem !== '') {
    counts.unreadable.push({ name: module.name, why: problem });
    return;
  }
  counts.modules += 1;
  counts.statements += theorems.length;
  counts.explicit += stated.explicit;
  if (isNarrow) counts.narrow += 1;
  const area = areaOf(module.name);
  if (theorems.length > 0) counts.areas[area] = (counts.areas[area] ?? 0) + theorems.length;
  for (const [reason, count] of Object.entries(leftOut) as [LeftOut, number][])
    counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + count;
  for (const example of examples) {
    const reason = example.split(':', 1)[0];
    if (counts.examples.filter((one) => one.startsWith(`${reason}:`)).length < EXAMPLES_MAX)
      counts.examples.push(example.replaceAll(/\s+/gu, ' '));
  }
}

/** Returns the number of statements and of theorems that should have become statements. */
function eligible({ statements, leftOut }: CompiledCounts): number {
  const failed = Object.entries(leftOut) as [LeftOut, number][];
  return statements + failed.reduce((sum, [reason, count]) => sum + (NOT_ELIGIBLE.includes(reason) ? 0 : count), 0);
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

export function describedCounts(name: string, folder: string, counts: CompiledCounts): string {
  const all = eligible(counts);
  return [
    `${name}: ${counts.train} training and ${counts.heldOut} held-out statements of ${counts.modules} modules, in ${folder}`,
    `  ${percent(counts.statements, all)} of ${all} eligible theorems mean the same when they are read again, ${counts.explicit} of them only with all implicit arguments`,
    ...reasonLines(counts).map((line) => `  ${line}`),
    ...counts.unreadable.slice(0, EXAMPLES_MAX).map(({ name: module, why }) => `  module left out: ${module}: ${why}`),
    ...(counts.unreadable.length > EXAMPLES_MAX ? [`  … ${counts.unreadable.length} modules in all`] : []),
  ].join('\n');
}

const reasonLines = ({ leftOut }: CompiledCounts): string[] =>
  (Object.entries(leftOut) as [LeftOut, number][]).map(([reason, count]) => `${count} left out: ${LEFT_OUT[reason]}`);

export function compiledCard(name: string, origin: SetOrigin, made: string, counts: CompiledCounts): string {
  const all = eligible(counts);
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.slice(0, LINES_MAX).map((line) => `- ${line}`)];
  return [
    `# ${name}`,
    '',
    'Theorems of compiled Lean modules, stated again under imports that know neither their module nor what imports it.',
    '',
    `- **Source**: ${counts.modules} compiled modules${origin.project === null ? " of Lean's own library" : ` of the project ${origin.project}`}.`,
    `- **Made with**: ${made}. Another Lean, or the project built anew, needs a new set.`,
    `- **Count**: ${counts.statements}; ${counts.train} train, ${counts.heldOut} held out (split: ${origin.split}).`,
    `- **Read again**: ${percent(counts.statements, all)} of ${all} eligible theorems. Lean elaborates each text under its header to the type of the`,
    `  original; the types were compared as terms of our own kernel, up to the names of universes. ${counts.explicit} do so only with all implicit arguments written.`,
    `- **Headers**: ${counts.narrow} modules could only be stated under their own imports; all others under everything beside them.`,
    ...list('Left out', reasonLines(counts)),
    ...list('Examples', counts.examples),
    ...list(
      'Areas',
      Object.entries(counts.areas)
        .map(([area, count]) => `${area}: ${count}`)
        .sort(),
    ),
    ...list(
      'Modules left out',
      counts.unreadable.map((module) => `${module.name}: ${module.why}`),
    ),
    '',
  ].join('\n');
}
