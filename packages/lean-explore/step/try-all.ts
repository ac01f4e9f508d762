/**
 * Several tactics tried on one goal in one reading of the text. The goal is copied as often as there are tactics, and each has a
 * block of its own, which ends by admitting what is left. Thirty tactics cost about as much as three read one by one. What is wrong
 * with the holes of a tactic, Lean says at the end of a proof, and not where there is an error already: so the answers are hints.
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

const WORKED = 'worked';
const CASE = /\n(?=case )/u;

/** @param tactics as the screen lays them out */
export function tryAllText(tactics: readonly string[]): TriedText {
  const lines = [
    'set_option pp.fullNames true in',
    `refine (fun {p : Prop} (a ${tactics.map(() => '_').join(' ')} : p) => a) ?_ ${tactics.map(() => '?_').join(' ')}`,
  ];
  const firstLines: number[] = [];
  for (const tactic of tactics) {
    firstLines.push(lines.length + 1);
    lines.push('· first', '    |');
    const column = ' '.repeat(tactic.length - tactic.trimStart().length);
    const after = [`trace "${WORKED}"`, 'all_goals (trace_state; sorry)'].map((line) => `${column}${line}`);
    lines.push(...[...tactic.split('\n'), ...after].map((line) => `      ${line}`));
    lines.push('    | sorry');
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
  const count = firstLines.length - 1;
  const byBlock = Map.groupBy(messages, ({ line }) => firstLines.findLastIndex((first) => first <= line));
  if (byBlock.get(-1)?.some(({ severity }) => severity === 'error')) return null;
  const isWhole = byBlock.get(count)?.some(({ text }) => UNSOLVED.test(text)) === true;
  const ended = isWhole ? count : Math.max(0, ...[...byBlock.keys()].filter((block) => block < count));
  const results = firstLines.slice(0, ended).map((_, block): Tried => {
    const own = byBlock.get(block) ?? [];
    if (own.some(({ severity }) => severity === 'error')) return null;
    const told = own.filter(({ severity }) => severity === 'information');
    const at = told.findIndex(({ text }) => text.trim() === WORKED);
    if (at < 0) return null;
    // Lean puts what it says at one place into one message. The goals of a block have names, by the hole that it fills.
    const goals = told.slice(at + 1).flatMap(({ text }) => text.split(CASE).map(goalIn));
    return goals.some((goal) => goal === null) ? null : goals.map((goal) => goal!);
  });
  return { results, ended };
}

/** A goal of Lean's message, its text as other steps give it; null where it has another form. */
function goalIn(message: string): Goal | null {
  const [shown, ...others] = readGoalTexts(message) ?? [];
  if (shown === undefined || others.length > 0) return null;
  const { target } = shown;
  const hypotheses = shown.hypotheses.map(({ names, type, value }) => ({
    names,
    type,
    ...(value === undefined ? {} : { value }),
  }));
  const lines = hypotheses.map(({ names, type, value }) =>
    value === undefined ? `${names.join(' ')} : ${type}` : `${names.join(' ')} : ${type} := ${value}`,
  );
  return { name: null, hypotheses, target, text: [...lines, `⊢ ${target}`].join('\n') };
}
