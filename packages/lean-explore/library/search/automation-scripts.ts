/**
 * Scripts that use automation with all definitions in brackets: `simp_all` and `grind`, alone, after cases, after
 * induction that generalises the other variables, and after induction along a function. The script chooses the case
 * split; automation finds how to use the definitions.
 */
import type { DataVariable } from './datatypes.ts';
import { type SearchScript, script, simp } from './script-text.ts';

const CLOSERS = ['simp_all', 'grind'] as const;
/** Maximum number of applications on which `fun_induction` is tried. */
const APPLICATIONS_MAX = 2;

/**
 * Returns automation scripts.
 * @param names all definitions on which the statement depends, nearest first
 * @param goal text of the conclusion
 */
export function automationScripts(
  names: readonly string[],
  goal: string,
  variables: readonly DataVariable[],
): SearchScript[] {
  const recursive = variables.filter(({ isRecursive }) => isRecursive);
  const of = (start: string, family: string): SearchScript[] =>
    CLOSERS.map((closer) => script(`${family}, ${closer}`, `${family}, ${closer}`, start + simp(names, closer)));
  return [
    ...of('', 'automation'),
    ...variables.flatMap(({ name }) => of(`cases ${name} <;> `, 'automation after cases')),
    ...recursive.flatMap(({ name }) => inductionScripts(name, of)),
    ...recursive.flatMap(({ name }) => generalizingScripts(name, variables, of)),
    ...applications(names, goal, variables).flatMap((application) =>
      of(`fun_induction ${application} <;> `, 'automation after induction along a function'),
    ),
  ];
}

type Closing = (start: string, family: string) => SearchScript[];

function inductionScripts(name: string, of: Closing): SearchScript[] {
  return of(`induction ${name} <;> `, 'automation after induction');
}

/** Makes induction scripts that generalise all other variables, and induction over two variables. */
function generalizingScripts(name: string, variables: readonly DataVariable[], of: Closing): SearchScript[] {
  const others = variables.filter((other) => other.name !== name).map((other) => other.name);
  const [first] = others;
  if (first === undefined) return [];
  return [
    ...of(`induction ${name} generalizing ${others.join(' ')} <;> `, 'automation after induction for all others'),
    ...of(`induction ${name} generalizing ${first} <;> cases ${first} <;> `, 'automation after induction and cases'),
  ];
}

/** Returns applications in the goal of functions to variables only, such as `f x y`. */
function applications(names: readonly string[], goal: string, variables: readonly DataVariable[]): string[] {
  const words = new Set(variables.map(({ name }) => name));
  const found = names.flatMap((name) => {
    const escaped = name.replace(/[.?!']/g, '\\$&');
    const uses = goal.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_.'])${escaped}((?: [\\p{L}_][\\p{L}\\p{N}_']*)+)`, 'gu'));
    return [...uses].flatMap(([use, list]) =>
      list!
        .trim()
        .split(' ')
        .every((word) => words.has(word))
        ? [use]
        : [],
    );
  });
  return [...new Set(found)].slice(0, APPLICATIONS_MAX);
}
