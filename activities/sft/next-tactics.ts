/**
 * SFT sets of next tactics from a LeanDojo Benchmark 4 folder: for each traced tactic of the training part, the goal
 * and the tactic. The validation part gives the held-out examples; the test part is not read.
 */
import { join } from 'node:path';
import { contentId } from '@stp/config/ids';
import { type Example, PROOF_CHARS_MAX } from '@stp/config/records';
import { type LeanDojoSplit, readGoalTexts } from '@stp/lean-explore';
import { formExamples, plainStateForm } from '@stp/selfplay';
import { externalSort, firstOfEach } from '../records/external-sort.ts';
import { LeftOut, readPremiseCorpus, readTracedSteps } from '../retrieval/benchmark.ts';

/** Longest goal of an example, UTF-16 units; a prompt of this length is beyond every context of the presets. */
const GOAL_CHARS_MAX = 32_768;
/** Held-out examples stay in memory; this many suffice for a mean loss. */
const HELD_OUT_MAX = 4_096;

/** Steps without an example, by reason. */
export interface LeftOutSteps {
  /** The tactic names a premise that the corpus does not have. */
  readonly unknownName: LeftOut;
  /** The state does not have the form of Lean's output. */
  readonly unreadable: LeftOut;
  readonly tooLong: LeftOut;
}

export interface NextTactics {
  /** In an order derived from their content, without repeats. */
  train(): AsyncGenerator<Example>;
  readonly heldOut: readonly Example[];
  /** Complete after `train` has ended. */
  readonly left: LeftOutSteps;
}

/** @param directory local folder for sorting */
export async function nextTactics(folder: string, split: LeanDojoSplit, directory: string): Promise<NextTactics> {
  const corpus = await readPremiseCorpus(join(folder, 'corpus.jsonl'));
  const left: LeftOutSteps = { unknownName: new LeftOut(), unreadable: new LeftOut(), tooLong: new LeftOut() };
  async function* examples(part: 'train' | 'val'): AsyncGenerator<Example> {
    const steps = readTracedSteps(join(folder, split, `${part}.json`), corpus, left.unknownName);
    for await (const { tactic, where } of steps) {
      const [goal] = readGoalTexts(tactic.state_before) ?? [];
      if (goal === undefined) {
        left.unreadable.add(`${where}: state_before is no proof state`);
        continue;
      }
      const form = plainStateForm(goal);
      if (form.prompt.length > GOAL_CHARS_MAX || tactic.tactic.length > PROOF_CHARS_MAX) left.tooLong.add(where);
      else yield* formExamples(form, tactic.tactic, 1);
    }
  }
  const key = ({ prompt, target }: Example): string => contentId('next-tactic', prompt, target);
  const heldOut = new Map<string, Example>();
  for await (const example of examples('val')) {
    if (heldOut.size === HELD_OUT_MAX) break;
    heldOut.set(key(example), example);
  }
  async function* train(): AsyncGenerator<Example> {
    const sorted = externalSort(examples('train'), { key, directory });
    for await (const example of firstOfEach(sorted, key)) if (!heldOut.has(key(example))) yield example;
  }
  return { train, heldOut: [...heldOut.values()], left };
}
