/**
 * Converts traced theorems to STP's own SFT rows `{prompt, target}` for other trainers (docs/algorithm.md, section 12):
 * a fence, the file's text before the theorem, and the theorem; the conjecturer's rows have STP's markers. One
 * difference: held-out theorems are cut out of every file's text and every tuple; STP leaves them in.
 */
import { realpath } from 'node:fs/promises';
import { conjecturerTuples, readSourceLines, type SourceTheorem } from '@stp/lean-explore';

export interface StpRow {
  readonly prompt: string;
  readonly target: string;
}

const FENCE = 'Complete the following Lean 4 code:\n\n```lean4\n';

/**
 * Yields rows in the order of the files. `train`: the tuples, and proofs that are not held out; `held-out`: the
 * held-out proofs. The text of one file is in memory.
 */
export async function* stpRows(
  theorems: readonly SourceTheorem[],
  isHeldOut: (theorem: SourceTheorem) => boolean,
  checkout: string,
): AsyncGenerator<{ readonly part: 'train' | 'held-out'; readonly row: StpRow }> {
  const root = await realpath(checkout);
  const tuples = conjecturerTuples(theorems.filter((theorem) => !isHeldOut(theorem)));
  let tuple = tuples.next();
  for (const [file, own] of inFiles(theorems)) {
    const before = textBefore((await readSourceLines(root, file)) ?? [], own.filter(isHeldOut));
    for (const theorem of own)
      yield {
        part: isHeldOut(theorem) ? 'held-out' : 'train',
        row: { prompt: FENCE + before(theorem), target: theorem.text },
      };
    for (; tuple.done !== true && tuple.value.hard.file === file; tuple = tuples.next()) {
      const { lemma, easy, hard } = tuple.value;
      const asked = `<lemma>\n${signature(lemma)}\n<easy theorem>\n${easy.text.trim()}\n<hard theorem>`;
      const target = `\n${signature(hard)} := by\n</hard theorem>`;
      yield { part: 'train', row: { prompt: `${FENCE}${before(easy)}${asked}`, target } };
    }
  }
}

function* inFiles(theorems: readonly SourceTheorem[]): Generator<[string, SourceTheorem[]]> {
  let own: SourceTheorem[] = [];
  for (const theorem of theorems) {
    if (own.length > 0 && own[0]!.file !== theorem.file) {
      yield [own[0]!.file, own];
      own = [];
    }
    own.push(theorem);
  }
  if (own.length > 0) yield [own[0]!.file, own];
}

/** Returns the file's lines before a theorem, without held-out theorems. */
function textBefore(lines: readonly string[], heldOut: readonly SourceTheorem[]): (theorem: SourceTheorem) => string {
  const hidden = new Set<number>();
  for (const { startLine, endLine } of heldOut) for (let line = startLine; line <= endLine; line++) hidden.add(line);
  return ({ startLine }) =>
    lines
      .slice(0, startLine - 1)
      .filter((_, index) => !hidden.has(index + 1))
      .map((line) => `${line}\n`)
      .join('');
}

/** Returns the signature as we read it; if we cannot, as STP does: up to the first `:=`. */
function signature({ statement, text }: SourceTheorem): string {
  return statement ?? text.split(':=')[0]!.trim();
}
