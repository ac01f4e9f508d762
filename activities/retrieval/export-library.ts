/**
 * Writes the repository's library as a folder in the form of LeanDojo Benchmark 4: `corpus.jsonl`, `metadata.json`, and
 * the splits `random` and `novel_premises`, each as `train.json`, `val.json` and `test.json`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonArrayFile, writeFolder, writeLines } from '@stp/datasets';
import {
  LEANDOJO_PARTS,
  type LeanDojoPart,
  type LeanDojoSplit,
  type OwnLibrary,
  type TheoremRow,
} from '@stp/lean-explore';
import { type Random, randomStream } from '@stp/selfplay';

/** Share of the theorems in each of the validation and test parts. */
const PART_SHARE = 0.1;

type Parts = Readonly<Record<LeanDojoPart, readonly TheoremRow[]>>;

export interface ExportReport {
  readonly files: number;
  readonly premises: number;
  readonly theorems: number;
  readonly tactics: number;
  /** Tactics that name a premise. */
  readonly withPremises: number;
}

/** STP1002 if the folder exists and `replace` is false. */
export async function exportLibrary(
  library: OwnLibrary,
  { folder, seed, replace }: { readonly folder: string; readonly seed: number; readonly replace: boolean },
): Promise<ExportReport> {
  const { files, theorems, version } = library;
  const splits = librarySplits(library, seed);
  await writeFolder(folder, replace, async (partial) => {
    await writeLines(partial, 'corpus.jsonl', files);
    for (const [split, parts] of Object.entries(splits)) {
      await mkdir(join(partial, split));
      for (const part of LEANDOJO_PARTS) {
        const file = new JsonArrayFile(join(partial, split, `${part}.json`));
        for (const row of parts[part]) await file.write(row);
        await file.close();
      }
    }
    const metadata = {
      dataset_name: 'stp-selfplay library',
      from_repo: { url: theorems[0]?.url ?? '', commit: version },
      licence: 'Apache-2.0',
      seed,
    };
    await writeFile(join(partial, 'metadata.json'), `${JSON.stringify(metadata, null, 2)}\n`);
  });
  const tactics = theorems.flatMap(({ traced_tactics }) => traced_tactics);
  return {
    files: files.length,
    premises: files.reduce((sum, { premises }) => sum + premises.length, 0),
    theorems: theorems.length,
    tactics: tactics.length,
    withPremises: tactics.filter(({ annotated_tactic: [, premises] }) => premises.length > 0).length,
  };
}

/** Puts each theorem into one part of each split. */
export function librarySplits({ theorems }: OwnLibrary, seed: number): Readonly<Record<LeanDojoSplit, Parts>> {
  return {
    random: randomParts(theorems, randomStream(seed, 'leandojo', 'random')),
    novel_premises: novelParts(theorems, randomStream(seed, 'leandojo', 'novel_premises')),
  };
}

function randomParts(theorems: readonly TheoremRow[], random: Random): Parts {
  return inParts(theorems, random.shuffle(theorems).slice(0, 2 * partSize(theorems)));
}

/**
 * Chooses the parts so that each validation or test proof names a premise that no training proof names. Premises with
 * the fewest users come first, and all users of a premise leave the training part together.
 */
function novelParts(theorems: readonly TheoremRow[], random: Random): Parts {
  const users = new Map<string, TheoremRow[]>();
  for (const theorem of theorems)
    for (const name of new Set(
      theorem.traced_tactics.flatMap((one) => one.annotated_tactic[1].map((p) => p.full_name)),
    ))
      users.set(name, [...(users.get(name) ?? []), theorem]);
  const left = new Set<TheoremRow>();
  for (const own of [...users.values()].sort((a, b) => a.length - b.length))
    if (left.size < 2 * partSize(theorems)) for (const theorem of own) left.add(theorem);
  return inParts(theorems, random.shuffle([...left]));
}

/** @param left the theorems outside the training part; the first half is for validation */
function inParts(theorems: readonly TheoremRow[], left: readonly TheoremRow[]): Parts {
  const isLeft = new Set(left);
  const half = Math.floor(left.length / 2);
  return { train: theorems.filter((row) => !isLeft.has(row)), val: left.slice(0, half), test: left.slice(half) };
}

const partSize = (theorems: readonly TheoremRow[]): number => Math.floor(PART_SHARE * theorems.length);
