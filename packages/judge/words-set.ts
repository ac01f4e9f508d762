/** Makes a problem set of problems in words, and an SFT set of their complete proofs if there are any. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import { formatOf } from '@stp/config';
import { wordsId } from '@stp/config/ids';
import { type Example, type Grading, type Statement, statementSchema } from '@stp/config/records';
import { writeFolder, writeLines, writeSftSet } from '@stp/datasets';
import { formattedForm } from '@stp/selfplay';
import { proofIn } from './candidate.ts';
import type { Item } from './formats/item.ts';
import { scaleOf } from './scale.ts';

export interface WordsSetRequest {
  readonly name: string;
  readonly source: string;
  /** Data folder. */
  readonly folder: string;
  readonly replace: boolean;
  readonly items: readonly Item[];
  /** Gradings by problem, for items without a grading. */
  readonly gradings: ReadonlyMap<string, Grading>;
}

export interface WordsSetReport {
  readonly train: number;
  readonly heldOut: number;
  /** Number of proofs that can train the first model. */
  readonly proofs: number;
}

/** Throws STP1501 for a problem that no run accepts. Problems with equal texts count once. */
export async function prepareWordsSet(request: WordsSetRequest): Promise<WordsSetReport> {
  const { name, folder, replace, items } = request;
  const statements = new Map<string, Statement>();
  for (const item of items) {
    const statement = statementOf(item, request);
    if (!statements.has(statement.id)) statements.set(statement.id, statement);
  }
  const all = [...statements.values()];
  const heldOut = all.filter(({ split }) => split === 'held-out').length;
  const examples = items.filter(isComplete).map((item) => exampleOf(statementOf(item, request), item));
  const counts = { train: all.length - heldOut, heldOut, proofs: examples.length };
  await writeFolder(join(folder, 'problems', name), replace, async (partial) => {
    await writeLines(partial, 'statements.jsonl', all);
    await writeFile(join(partial, 'card.md'), card(request, counts));
  });
  if (examples.length > 0)
    await writeSftSet(join(folder, 'SFT', name), replace, {
      name,
      train: examples,
      heldOut: [],
      theorems: [],
      heldOutTheorems: 0,
      card: () => card(request, counts),
    });
  return counts;
}

function statementOf(
  { problemId, set, problem, grading, split }: Item,
  { name, gradings }: WordsSetRequest,
): Statement {
  const parsed = statementSchema.safeParse({
    id: wordsId(problem),
    name: problemId,
    header: null,
    statement: problem,
    split: split ?? 'train',
    labels: [name, set],
    weight: 1,
    grading: { ...gradings.get(problemId), ...grading },
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StpError(
    'STP1501',
    `problem ${problemId}: ${issue?.path.join('.')}: ${issue?.message}`,
    'Leave it out, or shorten it.',
  );
}

/** Returns whether the item is in the training split and, if a person marked it, has full marks. */
const isComplete = ({ answer, human, split }: Item): boolean =>
  answer !== null && split !== 'held-out' && (human === null || human.raw === scaleOf(human.scale).max);

function exampleOf(statement: Statement, { answer }: Item): Example {
  const form = formattedForm(formatOf({ format: 'words' }), statement, '');
  return { prompt: form.prompt, target: form.targetOf(proofIn(answer!))!, weight: 1, role: 'prover' };
}

const card = ({ name, source }: WordsSetRequest, { train, heldOut, proofs }: WordsSetReport): string =>
  [
    `# ${name}`,
    '',
    'Problems in words, for judges (docs/judges.md). Nothing here is known to Lean.',
    '',
    `- **Source**: ${basename(source)}; its licence is that of its source.`,
    `- **Count**: ${train} train, ${heldOut} held out; ${proofs} proofs to train a first model on.`,
    '',
  ].join('\n');
