/** The type of a script, and the pieces of its text. */
import type { DataVariable } from './datatypes.ts';

export interface SearchScript {
  /** Which line of the list it is: `induction, simp with hypothesis`. */
  readonly script: string;
  /** Scripts of one family differ in little: one accepted script of a family makes the later ones redundant. */
  readonly family: string;
  /** Tactic block, first tactic in column 2. */
  readonly proof: string;
}

export function script(family: string, name: string, ...lines: readonly string[]): SearchScript {
  return { script: name, family, proof: lines.map((line) => `  ${line}`).join('\n') };
}

/** `simp [f, g]`, or `simp` where there is nothing to name. */
export function simp(names: readonly string[], tactic = 'simp'): string {
  return names.length === 0 ? tactic : `${tactic} [${names.join(', ')}]`;
}

/**
 * One alternative per constructor: `base` without hypotheses, `step` with; several tactics go on lines of their own.
 */
export function inductionLines(
  head: string,
  { alternatives }: DataVariable,
  base: string,
  step: (hypotheses: readonly string[]) => readonly string[],
): string[] {
  return [
    head,
    ...alternatives.flatMap(({ pattern, hypotheses }) => {
      if (hypotheses.length === 0) return [`| ${pattern} => ${base}`];
      const tactics = step(hypotheses);
      const start = `| ${[pattern, ...hypotheses].join(' ')} =>`;
      return tactics.length === 1 ? [`${start} ${tactics[0]}`] : [start, ...tactics.map((tactic) => `  ${tactic}`)];
    }),
  ];
}
