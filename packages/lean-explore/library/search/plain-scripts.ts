/**
 * Scripts without case splits: evaluation, simplification, arithmetic, and tactics suggested by the hypotheses and the
 * form of the goal.
 */

import { type SearchScript, script, simp } from './script-text.ts';
import type { Signature } from './theorem-signature.ts';

export function closedScripts(functions: readonly string[]): SearchScript[] {
  return [
    script('evaluation', 'rfl', 'rfl'),
    script('arithmetic', 'omega', 'omega'),
    script('evaluation', 'decide', 'decide'),
    script('simp', 'simp', 'simp'),
    script('simp', 'simp with definitions', simp(functions)),
    script('simp', 'simp_all with definitions', simp(functions, 'simp_all')),
    script('arithmetic', 'simp, then omega', simp(functions), 'omega'),
    ...(functions.length === 0 ? [] : unfoldScripts(`unfold ${functions.join(' ')}`)),
  ];
}

function unfoldScripts(unfold: string): SearchScript[] {
  return [
    script('arithmetic', 'unfold, then omega', unfold, 'omega'),
    script('split', 'unfold and split', unfold, 'split <;> omega'),
    script('split', 'unfold and split twice', unfold, 'split <;> split <;> omega'),
    script('split', 'unfold, split, simp_all', unfold, 'split <;> simp_all'),
  ];
}

export function hypothesisScripts({ binders }: Signature, functions: readonly string[]): SearchScript[] {
  const names = binders.map(({ name }) => name).filter((name) => name.startsWith('h'));
  const first = names[0];
  if (first === undefined) return [];
  return [
    script('hypothesis', 'exact hypothesis', `exact ${first}`),
    script('rewrite', 'rewrite with hypotheses', `rw [${names.join(', ')}]`),
    script('simp', 'simp with hypotheses', simp([...functions, ...names])),
    script('arithmetic', 'simp at hypothesis, then omega', simp(functions).concat(` at ${first}`), 'omega'),
    script('arithmetic', 'unfold at hypothesis, then omega', `unfold ${functions.join(' ')} at ${first}`, 'omega'),
    script('cases on hypothesis', 'cases on hypothesis', `cases ${first} <;> simp_all`),
    script('hypothesis', 'pair of parts', `exact ⟨${first}.2, ${first}.1⟩`),
    script('rewrite', 'substitute', `subst ${first}`, 'rfl'),
    script('hypothesis', 'contradiction', 'contradiction'),
  ];
}

export function goalScripts(goal: string, functions: readonly string[]): SearchScript[] {
  const introduced = /^[∀¬]|→|≠/u.test(goal)
    ? [script('intro', 'intro, simp_all', 'intro h', simp(functions, 'simp_all'))]
    : [];
  const parted = /[↔∧]/u.test(goal)
    ? [
        script(
          'constructor',
          'constructor, intro, simp_all',
          `constructor <;> intro h <;> ${simp(functions, 'simp_all')}`,
        ),
        script('constructor', 'constructor, simp_all', `constructor <;> ${simp(functions, 'simp_all')}`),
        script('constructor', 'constructor, intro, omega', 'constructor <;> intro h <;> omega'),
      ]
    : [];
  return [...introduced, ...parted];
}
