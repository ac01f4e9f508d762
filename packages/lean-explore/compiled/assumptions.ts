/**
 * States the theorems of a module as assumptions in small modules, in the order of their source, so that each theorem
 * can be proved from those before it. Every module of assumptions imports the one before it. An assumption counts only
 * where its compiled type is that of the original.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SimpMark } from '@stp/lean-kernel';
import { HEADER_DEADLINE_MS, leanMessages } from '@stp/lean-verifier';
import type { ReadModule } from './reader.ts';
import { comparison, type Restated, type RestateTask } from './restate.ts';

/** Theorems of one module of assumptions. */
export const PART_THEOREMS = 10;
/** Texts tried for a module: what Lean does not take is left out of the next one. */
const TRIES = 3;

export interface AssumptionTask extends RestateTask {
  /** First parts of the modules' names, `Assumed.LeanCore`. */
  readonly prefix: string;
  /** Folder of sources and compiled modules, on the search path of whoever imports them. */
  readonly directory: string;
}

export interface AssumptionModule {
  /** With dots; null for the last theorems of a module, which nothing comes after: they are not stated. */
  readonly module: string | null;
  /** Whose theorems it states. */
  readonly of: string;
  /** Its theorems in their order, with dots. */
  readonly theorems: readonly string[];
  /** How many of them have the mark for `simp` that they have in their own module. */
  readonly marked: number;
}

export interface Assumed {
  readonly modules: readonly AssumptionModule[];
  /** The module that states everything before the theorem that is in this module; a theorem before the first has none. */
  readonly before: ReadonlyMap<string, string>;
  /** `NAME: why`, for each theorem that could not be assumed and each module that did not compile. */
  readonly problems: readonly string[];
}

/** `headerLines`: what the first module of assumptions imports. Only theorems whose place is known are assumed. */
export async function assume(
  of: string,
  restated: readonly Restated[],
  read: ReadModule,
  headerLines: readonly string[],
  task: AssumptionTask,
): Promise<Assumed> {
  const ordered = restated.filter(({ theorem }) => theorem.order !== null);
  const modules: AssumptionModule[] = [];
  const before = new Map<string, string>();
  const problems: string[] = [];
  const isPrelude = headerLines[0] === 'prelude';
  for (let from = 0; from < ordered.length; from += PART_THEOREMS) {
    const some = ordered.slice(from, from + PART_THEOREMS);
    const last = modules.at(-1)?.module ?? undefined;
    if (last !== undefined) for (const { theorem } of some) before.set(theorem.shown, last);
    const shown = some.map(({ theorem }) => theorem.shown);
    if (from + PART_THEOREMS >= ordered.length) {
      modules.push({ module: null, of, theorems: shown, marked: 0 });
      break;
    }
    const name = `${task.prefix}.${of}.Part${modules.length + 1}`;
    const above = last === undefined ? headerLines : [...(isPrelude ? ['prelude'] : []), `import ${last}`];
    const compiled = await compilePart(name, some, read, above, task);
    problems.push(...compiled.problems);
    if (compiled.kept.length === 0) continue;
    const { kept } = compiled;
    modules.push({
      module: name,
      of,
      theorems: kept.map(({ theorem }) => theorem.shown),
      marked: kept.filter(({ theorem }) => theorem.mark !== null && compiled.marked.has(theorem.shown)).length,
    });
  }
  return { modules, before, problems };
}

interface Part {
  readonly kept: readonly Restated[];
  readonly marked: ReadonlySet<string>;
  readonly problems: readonly string[];
}

async function compilePart(
  name: string,
  some: readonly Restated[],
  read: ReadModule,
  above: readonly string[],
  task: AssumptionTask,
): Promise<Part> {
  const source = `${join(task.directory, ...name.split('.'))}.lean`;
  const object = source.replace(/\.lean$/u, '.olean');
  await mkdir(dirname(source), { recursive: true });
  let kept = some;
  const marked = new Set(some.flatMap(({ theorem }) => (theorem.mark === null ? [] : [theorem.shown])));
  const problems: string[] = [];
  for (let attempt = 0; attempt < TRIES && kept.length > 0; attempt++) {
    const lines = kept.flatMap(({ theorem, signature }) => [
      { theorem, isMark: false, text: `axiom _root_.${theorem.shown}${signature}` },
      ...(theorem.mark !== null && marked.has(theorem.shown)
        ? [{ theorem, isMark: true, text: `attribute [${markText(theorem.mark)}] ${theorem.shown}` }]
        : []),
    ]);
    const opening = [...above, 'set_option autoImplicit false'];
    await writeFile(source, `${[...opening, ...lines.map(({ text }) => text)].join('\n')}\n`);
    const run = await leanMessages({
      executable: task.environment.executable,
      arguments: [`--root=${task.directory}`, '-o', object, source],
      searchPath: [...task.environment.searchPath, task.directory],
      deadlineMs: HEADER_DEADLINE_MS,
      sandbox: task.sandbox,
      writable: [task.directory],
      ...(task.signal && { signal: task.signal }),
    });
    const errors = run.messages.filter(({ severity }) => severity === 'error');
    if (errors.length === 0 && run.exitCode === 0) {
      const means = comparison(object, read);
      const wrong = kept.filter(({ theorem }) => !means(theorem.name, theorem));
      if (wrong.length === 0) return { kept, marked, problems };
      for (const { theorem } of wrong) problems.push(`${theorem.shown}: its assumption means something else`);
      kept = kept.filter((one) => !wrong.includes(one));
      continue;
    }
    const refused = new Set<string>();
    let isHeader = errors.length === 0;
    for (const { line, text } of errors) {
      const at = lines[line - 1 - opening.length];
      if (at === undefined) isHeader = true;
      else if (at.isMark) marked.delete(at.theorem.shown);
      else if (!refused.has(at.theorem.shown)) {
        refused.add(at.theorem.shown);
        problems.push(`${at.theorem.shown}: ${text.slice(0, 200)}`);
      }
    }
    if (isHeader) {
      problems.push(`${name}: ${errors[0]?.text.slice(0, 200) ?? (run.rest.trim() || 'Lean said nothing')}`);
      return { kept: [], marked, problems };
    }
    kept = kept.filter(({ theorem }) => !refused.has(theorem.shown));
  }
  return { kept: [], marked, problems: [...problems, `${name}: it does not compile`] };
}

function markText({ isEarly, isReversed, priority }: SimpMark): string {
  return [
    'simp',
    ...(isEarly ? ['↓'] : []),
    ...(isReversed ? ['←'] : []),
    ...(priority === null ? [] : [priority]),
  ].join(' ');
}
