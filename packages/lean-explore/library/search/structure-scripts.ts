/**
 * Scripts that split a variable: cases, pairs of cases, induction, and induction over one variable that generalises
 * another.
 */
import type { DataVariable } from './datatypes.ts';
import { inductionLines, type SearchScript, script, simp } from './script-text.ts';
import type { Signature } from './theorem-signature.ts';

export function caseScripts({ name, alternatives }: DataVariable, functions: readonly string[]): SearchScript[] {
  const written = (tactic: string) => [
    `cases ${name} with`,
    ...alternatives.map(({ pattern, hypotheses }) =>
      hypotheses.length > 0 ? `| ${pattern} => ${tactic}` : `| ${pattern} => rfl`,
    ),
  ];
  return [
    script('cases', 'cases, rfl', `cases ${name} <;> rfl`),
    script('cases', 'cases, simp', `cases ${name} <;> ${simp(functions)}`),
    script('cases', 'cases, simp_all', `cases ${name} <;> ${simp(functions, 'simp_all')}`),
    script('cases written out', 'cases written out', ...written(simp(functions))),
  ];
}

export function pairScripts(first: DataVariable, second: DataVariable, functions: readonly string[]): SearchScript[] {
  const both = `cases ${first.name} <;> cases ${second.name}`;
  return [
    script('cases', 'cases twice, rfl', `${both} <;> rfl`),
    script('cases', 'cases twice, simp', `${both} <;> ${simp(functions)}`),
    script('cases', 'cases twice, simp_all', `${both} <;> ${simp(functions, 'simp_all')}`),
  ];
}

export function inductionScripts(variable: DataVariable, functions: readonly string[]): SearchScript[] {
  const { name } = variable;
  const written = (base: string, step: (hypotheses: readonly string[]) => readonly string[]) =>
    inductionLines(`induction ${name} with`, variable, base, step);
  const withHypotheses = (...more: readonly string[]) => {
    return (hypotheses: readonly string[]) => [simp([...functions, ...hypotheses, ...more])];
  };
  return [
    script('induction at once', 'induction, simp_all', `induction ${name} <;> ${simp(functions, 'simp_all')}`),
    script(
      'induction at once',
      'induction, simp_all, omega',
      `induction ${name} <;> ${simp(functions, 'simp_all')} <;> omega`,
    ),
    script('induction', 'induction, exact', ...written('rfl', ([hypothesis]) => [`exact ${hypothesis}`])),
    script('induction', 'induction, simp with hypothesis', ...written('rfl', withHypotheses())),
    script('induction by simp', 'induction, simp both', ...written(simp(functions), withHypotheses())),
    script(
      'induction by rewriting',
      'induction, simp only',
      ...written('rfl', (hypotheses) => [simp([...functions, ...hypotheses], 'simp only')]),
    ),
    script(
      'induction by rewriting',
      'induction, rewrite',
      ...written('rfl', (hypotheses) => [`rw [${[...functions, ...hypotheses].join(', ')}]`]),
    ),
    script(
      'induction by simp',
      'induction, simp, omega',
      ...written(simp(functions), (ih) => [simp([...functions, ...ih]), 'omega']),
    ),
    script('induction by simp', 'induction, associative', ...written(simp(functions), withHypotheses('Nat.add_assoc'))),
    script(
      'induction by simp',
      'induction, commutative',
      ...written(simp(functions), withHypotheses('Nat.add_comm', 'Nat.add_left_comm')),
    ),
    script(
      'induction by split',
      'induction, split',
      ...written('rfl', () => [simp(functions, 'simp only'), `split <;> ${simp(functions, 'simp_all')}`]),
    ),
    script(
      'induction by split',
      'induction, split, omega',
      ...written(simp(functions), () => [simp(functions, 'simp only'), 'split <;> omega']),
    ),
  ];
}

export function generalizingScripts(
  first: DataVariable,
  second: DataVariable,
  functions: readonly string[],
): SearchScript[] {
  const start = `induction ${first.name} generalizing ${second.name}`;
  const inner = `cases ${second.name}`;
  const written = (base: string, step: (hypotheses: readonly string[]) => readonly string[]) =>
    inductionLines(`${start} with`, first, base, step);
  return [
    script(
      'induction at once',
      'generalizing, cases, simp_all',
      `${start} <;> ${inner} <;> ${simp(functions, 'simp_all')}`,
    ),
    script('induction at once', 'generalizing, simp_all', `${start} <;> ${simp(functions, 'simp_all')}`),
    script(
      'induction by simp',
      'generalizing, simp',
      ...written(simp(functions), (ih) => [simp([...functions, ...ih])]),
    ),
    script('induction', 'generalizing, rfl, simp', ...written('rfl', (ih) => [simp([...functions, ...ih])])),
    script(
      'induction',
      'generalizing, cases written out',
      ...written(`${inner} <;> rfl`, (ih) => [`${inner} <;> ${simp([...functions, ...ih])}`]),
    ),
    script(
      'induction by simp',
      'generalizing, cases, simp both',
      ...written(`${inner} <;> ${simp(functions)}`, (ih) => [`${inner} <;> ${simp([...functions, ...ih])}`]),
    ),
  ];
}

/** If a predicate is applied to the elements of a list: cases on its value at the head. */
export function testScripts(
  { binders }: Signature,
  variables: readonly DataVariable[],
  functions: readonly string[],
): SearchScript[] {
  const tests = binders.filter(({ type }) => /→ Bool$/.test(type)).map(({ name }) => name);
  const list = variables.find(({ alternatives }) => alternatives.some(({ pattern }) => pattern.startsWith('cons')));
  if (tests.length === 0 || list === undefined) return [];
  const element = list.alternatives.find(({ pattern }) => pattern.startsWith('cons'))!.pattern.split(' ')[1]!;
  const answers = tests.map((test) => `h${test}`);
  const cases = tests.map((test, index) => `cases ${answers[index]} : ${test} ${element}`).join(' <;> ');
  const lines = inductionLines(`induction ${list.name} with`, list, 'rfl', (hypotheses) => [
    `${cases} <;> ${simp([...functions, ...answers, ...hypotheses])}`,
  ]);
  return [script('induction by split', 'induction, cases on the test', ...lines)];
}
