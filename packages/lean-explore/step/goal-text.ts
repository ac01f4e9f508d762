/**
 * Reads goals from Lean's text of a proof state: blocks separated by blank lines, each with an optional `case` line,
 * hypotheses `names : type`, and `⊢ target`. Continuation lines are indented.
 */
import type { ShownGoal } from '@stp/config/records';

const CASE = /^case\b/u;
const TARGET = /^⊢ ?/u;
/** Matches the number of goals that Lean sometimes prints first. */
const COUNT = /^\d+ goals?\n/u;
const OPENING = '([{⟨⦃⟦';
const CLOSING = ')]}⟩⦄⟧';

/** Returns all goals in order; null for text with another format, including `no goals`. */
export function readGoalTexts(state: string): ShownGoal[] | null {
  const goals: ShownGoal[] = [];
  for (const block of state
    .replace(COUNT, '')
    .trim()
    .split(/\n[ \t]*\n/u)) {
    const goal = readGoal(block);
    if (goal === null) return null;
    goals.push(goal);
  }
  return goals;
}

function readGoal(block: string): ShownGoal | null {
  const entries: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith(' ') && entries.length > 0) entries[entries.length - 1] += `\n${line}`;
    else entries.push(line);
  }
  if (CASE.test(entries[0]!)) entries.shift();
  const last = entries.pop();
  if (last === undefined || !TARGET.test(last)) return null;
  const hypotheses: ShownGoal['hypotheses'][number][] = [];
  for (const entry of entries) {
    const colon = entry.indexOf(' : ');
    if (colon <= 0) return null;
    const names = entry.slice(0, colon).split(' ');
    const rest = entry.slice(colon + ' : '.length);
    const assigned = assignment(rest);
    hypotheses.push(
      assigned < 0
        ? { names, type: rest }
        : { names, type: rest.slice(0, assigned).trimEnd(), value: rest.slice(assigned + ':='.length).trimStart() },
    );
  }
  return { hypotheses, target: last.replace(TARGET, '') };
}

/** Returns the offset of the `:=` of a `let`, outside brackets; -1 if there is none. */
function assignment(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (OPENING.includes(text[at]!)) depth += 1;
    else if (CLOSING.includes(text[at]!)) depth -= 1;
    else if (depth === 0 && text.startsWith(':=', at)) return at;
  }
  return -1;
}
