/**
 * The documented widening of the SFT set: a fixed list of short tactic scripts, filled with the variables and functions
 * of a statement. They are tried on library statements only (`search-main.ts`); what Lean accepts and the library does
 * not already say is one more example. Pure text: what a script proves is Lean's to say.
 *
 * The list holds what a person tries first: evaluation, simplification with the definitions, arithmetic, cases,
 * induction with the alternatives written out or closed at once. `grind` is left out on purpose: it would close most
 * statements alone, and examples of it teach nothing about the statement.
 */
import { type DataVariable, dataVariables } from './datatypes.ts';
import { readSignature, type Signature } from './signature.ts';

export interface SearchScript {
  /** Which line of the list it is: `induction, simp with hypothesis`. */
  readonly script: string;
  /** Scripts of one family differ in little: one accepted script of a family makes the later ones redundant. */
  readonly family: string;
  /** Tactic block, first tactic in column 2. */
  readonly proof: string;
}

/** Variables that are taken apart, in binder order: the first are the ones functions recurse on. */
const VARIABLES_MAX = 3;
const INDUCTION_VARIABLES_MAX = 2;
/** More names than this in one `simp [ … ]` is no short script. */
const FUNCTIONS_MAX = 6;

/** Distinct scripts for `theorem NAME BINDERS : TYPE`, cheap ones first. */
export function searchScripts(statement: string): readonly SearchScript[] {
  const signature = readSignature(statement);
  const functions = signature.functions.slice(0, FUNCTIONS_MAX);
  const variables = dataVariables(signature.binders);
  const taken = variables.slice(0, VARIABLES_MAX);
  const recursive = variables.filter(({ isRecursive }) => isRecursive).slice(0, INDUCTION_VARIABLES_MAX);
  const scripts = [
    ...closedScripts(functions),
    ...hypothesisScripts(signature, functions),
    ...goalScripts(signature.goal, functions),
    ...taken.flatMap((variable) => caseScripts(variable, functions)),
    ...pairs(taken).flatMap(([first, second]) => pairScripts(first, second, functions)),
    ...recursive.flatMap((variable) => inductionScripts(variable, functions)),
    ...orderedPairs(recursive).flatMap(([first, second]) => generalizingScripts(first, second, functions)),
    ...testScripts(signature, variables, functions),
  ];
  const seen = new Set<string>();
  return scripts.filter(({ proof }) => !seen.has(proof) && seen.add(proof));
}

function script(family: string, name: string, ...lines: readonly string[]): SearchScript {
  return { script: name, family, proof: lines.map((line) => `  ${line}`).join('\n') };
}

/** `simp [f, g]`, or `simp` where there is nothing to name. */
function simp(names: readonly string[], tactic = 'simp'): string {
  return names.length === 0 ? tactic : `${tactic} [${names.join(', ')}]`;
}

function closedScripts(functions: readonly string[]): SearchScript[] {
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

function hypothesisScripts({ binders }: Signature, functions: readonly string[]): SearchScript[] {
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

function goalScripts(goal: string, functions: readonly string[]): SearchScript[] {
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

function caseScripts({ name, alternatives }: DataVariable, functions: readonly string[]): SearchScript[] {
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

function pairScripts(first: DataVariable, second: DataVariable, functions: readonly string[]): SearchScript[] {
  const both = `cases ${first.name} <;> cases ${second.name}`;
  return [
    script('cases', 'cases twice, rfl', `${both} <;> rfl`),
    script('cases', 'cases twice, simp', `${both} <;> ${simp(functions)}`),
    script('cases', 'cases twice, simp_all', `${both} <;> ${simp(functions, 'simp_all')}`),
  ];
}

function inductionScripts(variable: DataVariable, functions: readonly string[]): SearchScript[] {
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

function generalizingScripts(first: DataVariable, second: DataVariable, functions: readonly string[]): SearchScript[] {
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

/** Where a predicate is applied to the elements of a list: cases on its answer at the head. */
function testScripts(
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

/** One alternative a constructor: `base` without hypotheses, `step` with; several tactics go on lines of their own. */
function inductionLines(
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

function pairs<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => [first, second] as const));
}

function orderedPairs<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return pairs(items).flatMap(([first, second]) => [[first, second] as const, [second, first] as const]);
}
