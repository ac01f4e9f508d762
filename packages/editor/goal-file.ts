/** A goal as a file that ends where its first tactic begins, for goals that come without their file. */
import type { ShownGoal } from '@stp/config/records';

/** Names that Lean prints for what no tactic can mention. */
const HIDDEN = /([\p{L}_][\p{L}\p{N}_'!?₀-₉.]*)✝([⁰¹²³⁴-⁹]*)/gu;
const LEVEL = /\b(?:Type|Sort|Prop)\s+\(?(?:max\s+)?((?:[a-z][\w']*\s*)+)/gu;
const UNKNOWN_LEVEL = /\?u\.\d+/gu;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Null for goals that a statement cannot have: a `let` among the hypotheses. */
export function goalFile(header: string, goal: ShownGoal): string | null {
  if (goal.hypotheses.some(({ value }) => value !== undefined)) return null;
  const binders = goal.hypotheses.map(({ names, type }) =>
    names.every((name) => /^inst✝/u.test(name))
      ? names.map(() => ` [${flat(type)}]`).join('')
      : ` (${names.map(plain).join(' ')} : ${flat(type)})`,
  );
  const text = `${binders.join('')} : ${flat(goal.target)}`;
  const levels = new Set([...text.matchAll(LEVEL)].flatMap(([, names]) => names!.trim().split(/\s+/u)));
  levels.delete('max');
  const universe = levels.size === 0 ? '' : `universe ${[...levels].join(' ')}\n`;
  return `${header}\n${universe}set_option autoImplicit false\nexample${text} := by\n  `;
}

/** The same goal but for white space, the name of its case, and how hidden names and levels are written. */
export function isSameGoal(asked: string, opened: string): boolean {
  return essence(asked) === essence(opened);
}

function essence(goal: string): string {
  return plain(goal.replace(/^case[^\n]*\n/u, ''))
    .replace(/^inst_hidden[^:]*:/gmu, 'inst:')
    .replaceAll(UNKNOWN_LEVEL, 'u')
    .replaceAll(/\bu_\d+\b/gu, 'u')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** Puts a text on one line, so that no column of the goal's own text counts. */
function flat(text: string): string {
  return plain(text.replaceAll(UNKNOWN_LEVEL, '_')).replaceAll(/\n\s*/gu, ' ');
}

/** `x✝²` → `x_hidden2`. */
function plain(text: string): string {
  return text.replaceAll(HIDDEN, (_, name: string, mark: string) => {
    const number = Array.from(mark, (digit) => SUPERSCRIPTS.indexOf(digit)).join('');
    return `${name}_hidden${number}`;
  });
}
