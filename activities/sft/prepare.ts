/**
 * Prepares SFT sets that runs can name: from the repository's library, or from LeanDojo Benchmark 4 and its Mathlib.
 */
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { JsonArrayFile, type SftManifest, writeSftSet } from '@stp/datasets';
import { type LeanDojoSplit, readSourceTheorems, type SourceTheorem, type SourceTheorems } from '@stp/lean-explore';
import { plainForm, proverExample, randomStream, statementKey } from '@stp/selfplay';
import type { Sources } from '../ports.ts';
import type { LeftOut } from '../retrieval/benchmark.ts';
import { chooseHeldOut, LIBRARY_HELD_OUT } from './held-out.ts';
import { libraryExamples } from './library-examples.ts';
import { nextTactics } from './next-tactics.ts';
import { stpRows } from './stp-rows.ts';
import {
  heldOutOf,
  isProved,
  isStated,
  tracedProverExample,
  tracedRecords,
  tracedTrainExamples,
} from './traced-examples.ts';

export interface SftTarget {
  readonly name: string;
  readonly folder: string;
  readonly seed: number;
  readonly replace: boolean;
}

export interface PreparedSft {
  readonly manifest: SftManifest;
  /** Number of left-out items by reason. */
  readonly left: Readonly<Record<string, number>>;
}

/** Prepares a set from the whole library, with its searched proofs and all its tuples. */
export async function prepareLibrarySft(
  sources: Pick<Sources, 'libraryTheorems' | 'searchedProofs'>,
  target: SftTarget,
): Promise<PreparedSft> {
  const { name, folder, seed, replace } = target;
  const theorems = await sources.libraryTheorems();
  const statements = theorems.map(({ statement }) => statement);
  const excluded = chooseHeldOut(statements, LIBRARY_HELD_OUT, randomStream(seed, 'sft-held-out'));
  const { examples } = await libraryExamples({
    conjecturer: { kind: 'tuples' },
    theorems,
    excluded,
    searched: sources.searchedProofs(),
    tuplesPerTheoremMax: null,
    conditionOn: 'proved-seed',
    seed,
    formOf: ({ statement }) => plainForm(statement),
    wholeProofs: true,
    states: null,
    onlyShownPremises: false,
  });
  const isHeldOut = ({ statement }: { statement: string }): boolean => excluded.has(statementKey(null, statement));
  const manifest = await writeSftSet(folder, replace, {
    name,
    train: randomStream(seed, 'sft').shuffle(examples),
    heldOut: theorems.filter(isHeldOut).map(({ statement, proof }) => proverExample(statement, proof, 1)),
    theorems: theorems.filter((theorem) => !isHeldOut(theorem)),
    heldOutTheorems: theorems.filter(isHeldOut).length,
    card: (counts) =>
      card(
        name,
        seed,
        counts,
        'The library of this repository (`data/library`), with the proofs of `data/sft`.',
        'Apache-2.0.',
      ),
  });
  return { manifest, left: {} };
}

export interface StepsTarget extends SftTarget {
  /** LeanDojo Benchmark 4 folder. */
  readonly leanDojo: string;
  readonly split: LeanDojoSplit;
}

/** Next tactics of the training part (`next-tactics.ts`), as a set that a run with `prover.mode=steps` can name. */
export async function prepareNextTactics(target: StepsTarget): Promise<PreparedSft> {
  const { name, folder, seed, replace, leanDojo, split } = target;
  const { train, heldOut, left } = await nextTactics(leanDojo, split, dirname(folder));
  const reasons: readonly (readonly [string, LeftOut])[] = [
    ['tactics that name a premise which the corpus does not have', left.unknownName],
    ['tactics whose state has another form than Lean’s', left.unreadable],
    ['tactics that are too long or have too long a goal', left.tooLong],
  ];
  const manifest = await writeSftSet(folder, replace, {
    name,
    train: train(),
    heldOut,
    theorems: [],
    heldOutTheorems: 0,
    card: (counts) =>
      [
        card(
          name,
          seed,
          counts,
          `States and tactics of LeanDojo Benchmark 4, split ${split} (arXiv 2306.15626): its training part; the held-out examples are of its validation part.`,
          'CC BY 2.0 for LeanDojo’s data, Apache-2.0 for Mathlib’s text.',
          Object.fromEntries(reasons.map(([reason, { count }]) => [reason, count])),
        ),
        ...reasons.flatMap(([, { locations }]) =>
          locations.map((location) => `- left out: ${shortened(leanDojo, location)}`),
        ),
        '',
      ].join('\n'),
  });
  return { manifest, left: Object.fromEntries(reasons.map(([reason, { count }]) => [reason, count])) };
}

/** Makes a path independent of the machine. */
const shortened = (folder: string, location: string): string => location.replace(`${folder}${sep}`, '');

export interface TracedTarget extends SftTarget {
  /** LeanDojo Benchmark 4 folder. */
  readonly leanDojo: string;
  readonly split: LeanDojoSplit;
  /** Checkout of Mathlib that was traced. */
  readonly checkout: string;
  /** Folder for STP's own rows as JSON arrays, `NAME.json` and `eval.json`; null: none. */
  readonly exportFolder: string | null;
}

/**
 * Prepares STP's SFT set (docs/algorithm.md, section 12). Held-out theorems are left out of everything else; STP leaves
 * them in tuples.
 */
export async function prepareTracedSft(target: TracedTarget): Promise<PreparedSft> {
  const { name, folder, seed, replace } = target;
  const source = await readSourceTheorems(target.leanDojo, target.split, target.checkout);
  const { theorems } = source;
  const isHeldOut = heldOutOf(theorems, seed);
  const heldOut = theorems.filter(isHeldOut);
  const left = leftOut(source);
  const manifest = await writeSftSet(folder, replace, {
    name,
    train: tracedTrainExamples(theorems, isHeldOut, seed),
    heldOut: heldOut.filter(isProved).map(tracedProverExample),
    theorems: tracedRecords(theorems, isHeldOut),
    heldOutTheorems: heldOut.length,
    card: (counts) =>
      card(
        name,
        seed,
        counts,
        `LeanDojo Benchmark 4, split ${target.split}, with the texts of the Mathlib it traced.`,
        'CC BY 2.0 for LeanDojo’s data, Apache-2.0 for Mathlib’s text.',
        left,
      ),
  });
  if (target.exportFolder !== null) await exportRows(theorems, isHeldOut, target.checkout, target.exportFolder, name);
  return { manifest, left };
}

function leftOut({ theorems, missing, distinctNames }: SourceTheorems): Record<string, number> {
  const count = (test: (theorem: SourceTheorem) => boolean) => theorems.filter(test).length;
  return {
    ...Object.fromEntries(Object.entries(missing).map(([reason, number]) => [`traced theorems: ${reason}`, number])),
    'theorems of a name that came before (kept as proofs, one in the table)': theorems.length - distinctNames,
    'theorems whose signature has no end we know (no example)': count((theorem) => !isStated(theorem)),
    'theorems with no tactic block of their own (no proof, not the easy theorem of a tuple)': count(
      (theorem) => isStated(theorem) && !isProved(theorem),
    ),
  };
}

/** Writes the rows as two JSON arrays. A file appears only when it is complete. */
async function exportRows(
  theorems: readonly SourceTheorem[],
  isHeldOut: (theorem: SourceTheorem) => boolean,
  checkout: string,
  folder: string,
  name: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const paths = { train: join(folder, `${name}.json`), 'held-out': join(folder, 'eval.json') };
  const files = {
    train: new JsonArrayFile(`${paths.train}.part`),
    'held-out': new JsonArrayFile(`${paths['held-out']}.part`),
  };
  for await (const { part, row } of stpRows(theorems, isHeldOut, checkout)) await files[part].write(row);
  for (const part of ['train', 'held-out'] as const) {
    await files[part].close();
    await rename(`${paths[part]}.part`, paths[part]);
  }
}

function card(
  name: string,
  seed: number,
  counts: SftManifest['counts'],
  source: string,
  licence: string,
  left: Readonly<Record<string, number>> = {},
): string {
  return [
    `# ${name}`,
    '',
    source,
    '',
    `- **Licence**: ${licence}`,
    `- **Examples**: ${counts.proverExamples - counts.stateExamples} proofs, ${counts.stateExamples} next tactics, ${counts.conjecturerExamples} conjecturer examples, shuffled with seed ${seed}.`,
    `- **Theorems** in \`theorems.jsonl\`: ${counts.theorems}.`,
    `- **Held out**: ${counts.heldOutTheorems} theorems, a seeded choice; they are in no example and not in the table.`,
    ...Object.entries(left).map(([reason, count]) => `- ${count} ${reason}.`),
    '',
    'Prompts are those of `packages/selfplay/prompts.ts`, the same in training and sampling.',
    '',
  ].join('\n');
}
