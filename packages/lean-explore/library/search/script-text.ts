/** The type of a script, and functions that write parts of its text. */
import type { DataVariable } from './datatypes.ts';

export interface SearchScript {
  /** Name of the entry in the list, such as `induction, simp with hypothesis`. */
  readonly script: string;
  /** Scripts of a family differ little: one accepted script makes the later ones of its family redundant. */
  readonly family: string;
  /** Tactic block, with its first tactic in column 2. */
  readonly proof: string;
}

export function script(family: string, name: string, ...lines: readonly string[]): SearchScript {
  return { script: name, family, proof: lines.map((line) => `  ${line}`).join('\n') };
}

/** Returns `simp [f, g]`, or `simp` if there are no names. */
export function simp(names: readonly string[], tactic = 'simp'): string {
  return names.length === 0 ? tactic : `${tactic} [${names.join(', ')}]`;
}

/**
 * Writes one alternative per constructor: `base` for those without hypotheses, `step` for those with. Several tactics
 * are on separate lines.
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
