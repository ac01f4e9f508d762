/** What a ranker of actions sees of a goal, and of how a premise fits it: words that mean the same for all statements. */
import type { ShownGoal, ShownLemma } from '@stp/config/records';
import type { GoalAction } from '@stp/lean-explore';
import { termsOf } from '@stp/selfplay';

const HEADS = ['↔', '∧', '∨', '∃', '∀', '¬', '≠', '≤', '<', '∈', '=', '→'];
const TERMS_MAX = 12;

/** @param last kind of the action that led to the goal; @param goals number of goals left */
export function goalTokens(goal: ShownGoal, last: string, depth: number, goals: number): string[] {
  const { target, hypotheses } = goal;
  const names = hypotheses.flatMap((one) => one.names);
  const bound = new Set(names);
  const terms = [...new Set(termsOf(target).filter((term) => !bound.has(term) && !term.includes('.')))];
  const [left = '', right = ''] = target.split(' = ', 2);
  return [
    `last:${last}`,
    `depth:${depth}`,
    `goals:${Math.min(goals, 4)}`,
    `head:${HEADS.find((head) => target.includes(head)) ?? 'other'}`,
    `left:${termsOf(left)[0] ?? ''}`,
    `right:${termsOf(right)[0] ?? ''}`,
    `size:${Math.round(Math.log2(target.length + 1))}`,
    `ih:${names.some((name) => /ih\d*$/u.test(name))}`,
    `props:${Math.min(3, hypotheses.filter(({ type }) => /[=≤<∈↔∧∨¬∀]/u.test(type)).length)}`,
    ...terms.slice(0, TERMS_MAX),
  ];
}

/** How the premise that an action names fits the goal: which of its terms the goal has. */
export function fitOf(premises: readonly ShownLemma[], action: GoalAction, goal: ReadonlySet<string>): string[] {
  const written = action.parts.find((part) => part.startsWith('premise:'))?.slice('premise:'.length);
  const premise = premises.find((one) => one.written === written);
  if (premise === undefined) return [];
  const { left, right, hasConditions } = sidesOf(premise.signature);
  const share = (terms: readonly string[]): string => {
    if (terms.length === 0) return 'none';
    const there = terms.filter((term) => goal.has(term)).length;
    return there === terms.length ? 'all' : there * 2 >= terms.length ? 'most' : 'few';
  };
  return [
    `left:${share(left)}`,
    `right:${share(right)}`,
    `both:${share(left)} ${share(right)}`,
    `conditions:${hasConditions}`,
  ];
}

const sides = new Map<string, { left: readonly string[]; right: readonly string[]; hasConditions: boolean }>();
function sidesOf(signature: string) {
  const known = sides.get(signature);
  if (known !== undefined) return known;
  const colon = conclusionAt(signature);
  const conclusion = signature.slice(colon);
  const bound = new Set(
    [...signature.slice(0, colon).matchAll(/[({[]([^:()]*):/gu)].flatMap((match) => match[1]!.trim().split(/\s+/u)),
  );
  const last = conclusion.slice(conclusion.lastIndexOf('→') + 1);
  const [left = '', right = ''] = last.split(/ = | ↔ /u, 2);
  const terms = (text: string): string[] =>
    [...new Set(termsOf(text))].filter((term) => !bound.has(term) && term.length > 0);
  const made = {
    left: terms(left),
    right: terms(right),
    hasConditions: conclusion.includes('→') || /\(\w+ : [^)]*[=≤<∈≠]/u.test(signature.slice(0, colon)),
  };
  sides.set(signature, made);
  return made;
}

/** Place behind the colon after the binders. */
function conclusionAt(signature: string): number {
  let depth = 0;
  for (let at = 0; at < signature.length; at++) {
    if ('([{⦃'.includes(signature[at]!)) depth += 1;
    else if (')]}⦄'.includes(signature[at]!)) depth -= 1;
    else if (depth === 0 && signature[at] === ':') return at + 1;
  }
  return 0;
}
