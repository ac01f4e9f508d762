/**
 * Next tactics as the text that llmstep's models are fine-tuned on (github.com/wellecks/llmstep, python/train/data.py): a JSON
 * object a line, `input` is `[GOAL]STATE[PROOFSTEP]`, `output` the tactic and the end of text. Streams: memory holds one theorem.
 */
import { join } from 'node:path';
import { writeFolder, writeLines } from '@stp/datasets';
import {
  LEANDOJO_PARTS,
  type LeanDojoPart,
  type LeanDojoSplit,
  NO_GOALS,
  type OwnLibrary,
  readTheoremRows,
  type TheoremRow,
} from '@stp/lean-explore';
import { librarySplits } from './export-library.ts';

/** End-of-text token of GPT-NeoX's tokenizer, which Pythia uses. */
const END_OF_TEXT = '<|endoftext|>';
/** Texts that a model would read as its own marks. */
const MARKS = /\[GOAL\]|\[PROOFSTEP\]|<\|endoftext\|>/u;

export interface LlmstepReport {
  /** Number of lines of each part. */
  readonly lines: Readonly<Record<LeanDojoPart, number>>;
  /** Number of steps left out because their text contains one of the marks. */
  readonly marked: number;
}

type RowsOf = (part: LeanDojoPart) => Iterable<TheoremRow> | AsyncIterable<TheoremRow>;

/** Yields the theorems of a split of a LeanDojo Benchmark 4 folder, in order. */
export function leanDojoRows(folder: string, split: LeanDojoSplit): RowsOf {
  return async function* (part) {
    for await (const { row } of readTheoremRows(join(folder, split, `${part}.json`))) yield row;
  };
}

/** Yields the theorems of the repository's library, in the splits that `exportLibrary` makes. */
export function libraryRows(library: OwnLibrary, split: LeanDojoSplit, seed: number): RowsOf {
  const parts = librarySplits(library, seed)[split];
  return (part) => parts[part];
}

/**
 * Writes `proofstep-{train,val,test}.jsonl`, in the order of the rows. Throws STP1002 if the folder exists and
 * `replace` is false, and the errors of `readTheoremRows`.
 */
export async function exportLlmstep(
  rowsOf: RowsOf,
  { folder, replace }: { readonly folder: string; readonly replace: boolean },
): Promise<LlmstepReport> {
  const lines = { train: 0, val: 0, test: 0 };
  let marked = 0;
  async function* examples(part: LeanDojoPart): AsyncGenerator<{ input: string; output: string }> {
    for await (const { traced_tactics } of rowsOf(part))
      for (const { state_before: state, tactic } of traced_tactics) {
        // A tactic that runs without remaining goals answers no goal.
        if (state.trim() === '' || state.trim() === NO_GOALS) continue;
        if (MARKS.test(state) || MARKS.test(tactic)) marked += 1;
        else yield { input: `[GOAL]${state}[PROOFSTEP]`, output: tactic + END_OF_TEXT };
      }
  }
  await writeFolder(folder, replace, async (partial) => {
    for (const part of LEANDOJO_PARTS)
      lines[part] = (await writeLines(partial, `proofstep-${part}.jsonl`, examples(part))).count;
  });
  return { lines, marked };
}
