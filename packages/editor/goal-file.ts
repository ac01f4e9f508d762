/** Writes a goal as a file that ends where its first tactic begins, for goals without their file. */
import type { ShownGoal } from '@stp/config/records';

/** Matches Lean's names for variables that no tactic can mention. */
const HIDDEN = /([\p{L}_][\p{L}\p{N}_'!?₀-₉.]*)✝([⁰¹²³⁴-⁹]*)/gu;
const LEVEL = /\b(?:Type|Sort|Prop)\s+\(?(?:max\s+)?((?:[a-z][\w']*\s*)+)/gu;
const UNKNOWN_LEVEL = /\?u\.\d+/gu;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Returns null for goals that a statement cannot express: those with a `let` among the hypotheses. */
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

/**
 * Whether two goals are equal, ignoring white space, the name of the case, and the spelling of hidden names and levels.
 */
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

/** Returns the text on one line, so that the columns of the goal's text do not matter. */
function flat(text: string): string {
  return plain(text.replaceAll(UNKNOWN_LEVEL, '_')).replaceAll(/\n\s*/gu, ' ');
}

/** Rewrites `x✝²` to `x_hidden2`. */
function plain(text: string): string {
  return text.replaceAll(HIDDEN, (_, name: string, mark: string) => {
    const number = Array.from(mark, (digit) => SUPERSCRIPTS.indexOf(digit)).join('');
    return `${name}_hidden${number}`;
  });
}
