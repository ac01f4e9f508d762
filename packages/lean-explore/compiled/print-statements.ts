/**
 * Makes Lean print the statements of a module's theorems so that they can be elaborated elsewhere: full names, types of
 * numerals and of bound variables, proofs and long terms in full. Names that Lean made inaccessible (`α✝`) are
 * replaced.
 */
import { HEADER_DEADLINE_MS, type LeanEnvironment, leanMessages, type Sandbox } from '@stp/lean-verifier';

/** Ways to print a statement. The first one that elaborates to the original is used. */
export const PRINTINGS = ['plain', 'uncoerced', 'functions', 'explicit'] as const;
export type Printing = (typeof PRINTINGS)[number];

const COMMON = [
  'pp.fullNames true',
  'pp.funBinderTypes true',
  'pp.numericTypes true',
  'pp.proofs true',
  'pp.deepTerms true',
  'pp.maxSteps 1000000',
  'pp.unicode.fun true',
];
const OPTIONS: Readonly<Record<Printing, readonly string[]>> = {
  plain: COMMON,
  uncoerced: [...COMMON, 'pp.coercions false'],
  functions: [...COMMON, 'pp.fieldNotation false', 'pp.coercions.types true'],
  // Hard to read, but complete.
  explicit: [...COMMON, 'pp.explicit true'],
};

export interface PrintTask {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  readonly signal?: AbortSignal | undefined;
  /** Header of the printing file. Its imports include the theorem's module. */
  readonly header: string;
  readonly printing: Printing;
}

/**
 * Returns for each name the text after it in its statement, such as `.{u} {α : Type u} (a : α) : a = a`; null if Lean
 * does not print it.
 */
export async function printStatements(names: readonly string[], task: PrintTask): Promise<(string | null)[]> {
  const head = [task.header, ...OPTIONS[task.printing].map((option) => `set_option ${option}`)].join('\n').split('\n');
  const run = await leanMessages({
    executable: task.environment.executable,
    arguments: ['--stdin'],
    searchPath: task.environment.searchPath,
    input: `${[...head, ...names.map((name) => `#check ${name}`)].join('\n')}\n`,
    deadlineMs: HEADER_DEADLINE_MS,
    sandbox: task.sandbox,
    ...(task.signal && { signal: task.signal }),
  });
  const printed = new Map(
    run.messages.flatMap(({ severity, line, text }) => (severity === 'information' ? [[line, text] as const] : [])),
  );
  return names.map((name, index) => {
    const text = printed.get(head.length + 1 + index);
    return text?.startsWith(name) === true ? accessible(text.slice(name.length).replace(/\s*\n\s*/gu, ' ')) : null;
  });
}

/** Maximum number of names per Lean process. */
const NAMES_MAX = 2_000;

/** Prints statements in the most readable way, omitting those that Lean does not print or that exceed `charsMax`. */
export async function printPremises(
  names: readonly string[],
  task: Omit<PrintTask, 'printing'> & { readonly charsMax: number },
): Promise<Map<string, string>> {
  const printed = new Map<string, string>();
  for (let at = 0; at < names.length; at += NAMES_MAX) {
    const some = names.slice(at, at + NAMES_MAX);
    for (const [index, text] of (await printStatements(some, { ...task, printing: 'plain' })).entries())
      if (text !== null && text.length <= task.charsMax) printed.set(some[index]!, text);
  }
  return printed;
}

/** Matches an inaccessible name as Lean prints it: with a dagger, and a number if there are several. */
const INACCESSIBLE = /([\p{L}_][\p{L}\p{N}_'!?₀-₉]*)✝([⁰¹²³⁴-⁹]*)/gu;
const WORD = /[\p{L}_][\p{L}\p{N}_'!?₀-₉]*/gu;

/** Replaces each inaccessible name by a new name that the text does not contain. */
function accessible(text: string): string {
  if (!text.includes('✝')) return text;
  const taken = new Set(text.replaceAll(INACCESSIBLE, '').match(WORD) ?? []);
  const given = new Map<string, string>();
  return text.replaceAll(INACCESSIBLE, (whole, base: string) => {
    let name = given.get(whole);
    if (name === undefined) {
      name = base;
      for (let count = 1; taken.has(name); count++) name = `${base}_${count}`;
      taken.add(name);
      given.set(whole, name);
    }
    return name;
  });
}
