/**
 * Several tactics tried on one goal in one reading of the text. The goal is copied as often as there are tactics, and each has a
 * block of its own: Lean goes on behind a block that fails, and says for each what is wrong or which goals are left. Thirty tactics
 * cost about as much as three read one by one.
 */
import type { LeanMessage } from '@stp/config/records';
import { readGoalTexts } from './goal-text.ts';
import type { Goal } from './step.ts';
import { UNSOLVED } from './step-source.ts';

/** What became of a tactic: the goals that it leaves of the first one, none if it proved it, or null where it failed. */
export type Tried = readonly Goal[] | null;

export interface TriedText {
  readonly text: string;
  /** First line of each block in `text`, 1-based; behind the last, that of the block which says that Lean came to the end. */
  readonly firstLines: readonly number[];
}

/** A name that nothing has. Its error is short, where those of tactics print goals. */
const FAILS = 'exact stp_failed_';

/** @param tactics as a proof's lines, the first in column 0 */
export function tryAllText(tactics: readonly string[]): TriedText {
  const lines = [
    'set_option pp.fullNames true in',
    `refine (fun {p : Prop} (a ${tactics.map(() => '_').join(' ')} : p) => a) ?_ ${tactics.map(() => '?_').join(' ')}`,
  ];
  const firstLines: number[] = [];
  for (const tactic of tactics) {
    firstLines.push(lines.length + 1);
    lines.push('· first', '    |', ...tactic.split('\n').map((line) => `      ${line}`), `    | ${FAILS}`);
  }
  firstLines.push(lines.length + 1);
  lines.push('· skip');
  return { text: lines.map((line) => `  ${line}`).join('\n'), firstLines };
}

/**
 * Reads Lean's messages about the text. `ended`: how many tactics Lean came to the end of, as a limit ends the text where it is met;
 * the tactic behind them met it. Null where the text says nothing about any.
 */
export function readTried(
  messages: readonly LeanMessage[],
  { firstLines }: TriedText,
): { results: Tried[]; ended: number } | null {
  const errors = messages.filter(({ severity }) => severity === 'error');
  const blockOf = (line: number): number => firstLines.findLastIndex((first) => first <= line);
  const count = firstLines.length - 1;
  const byBlock = Map.groupBy(errors, ({ line }) => blockOf(line));
  if (byBlock.has(-1)) return null;
  const isWhole = byBlock.get(count)?.some(({ text }) => UNSOLVED.test(text)) === true;
  const ended = isWhole ? count : Math.max(0, ...[...byBlock.keys()].filter((block) => block < count));
  const results = firstLines.slice(0, ended).map((_, block): Tried => {
    const own = byBlock.get(block) ?? [];
    if (own.length === 0) return [];
    return own.length === 1 && UNSOLVED.test(own[0]!.text) ? goalsIn(own[0]!.text) : null;
  });
  return { results, ended };
}

/** Goals of Lean's message about what is left, their text as other steps give it; null where it has another form. */
function goalsIn(message: string): Goal[] | null {
  const shown = readGoalTexts(message.replace(/^unsolved goals\n/u, ''));
  if (shown === null) return null;
  return shown.map(({ hypotheses: read, target }) => {
    const hypotheses = read.map(({ names, type, value }) => ({
      names,
      type,
      ...(value === undefined ? {} : { value }),
    }));
    const lines = hypotheses.map(({ names, type, value }) =>
      value === undefined ? `${names.join(' ')} : ${type}` : `${names.join(' ')} : ${type} := ${value}`,
    );
    return { name: null, hypotheses, target, text: [...lines, `⊢ ${target}`].join('\n') };
  });
}
