/**
 * A library that grows with a run: theorems that the run itself proved and certified, as Lean modules under which later
 * proofs are checked. Knows their text and how to compile them, not how they were chosen.
 *
 * Each header (imports and opens of a dataset) has modules of its own, so that one dataset's definitions never enter
 * another's scope. A module holds the theorems that one growth added (their generation) and imports the module before. A
 * cycle is impossible: a proof was certified under the modules of earlier generations only, so it can name no theorem of its
 * own generation or a later one.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Semaphore } from '@stp/base';
import { isThere } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import type { LeanMessage } from '@stp/config/records';
import {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  type LeanEnvironment,
  type LeanRun,
  type LemmaMark,
  libraryError,
  markedNamespace,
  markLines,
  runLean,
  type Sandbox,
  splitImports,
  theoremText,
} from '@stp/lean-verifier';
import { consequences, type NewTheorems } from './consequences.ts';

export interface GrownModule {
  /** Made of its content; it is the only part of its module name, so every module can lie in a folder of its own. */
  readonly module: string;
  readonly header: string | null;
  readonly source: string;
  readonly theorems: readonly GrownTheorem[];
  /** 1-based first line of each theorem in the source. */
  readonly lines: readonly number[];
  /** What stands on the lines from `marksFrom` on, a mark each. */
  readonly marks: readonly { readonly theorem: string; readonly mark: LemmaMark }[];
  readonly marksFrom: number;
}

/** Part of every module name: raise it when the layout changes. */
const LAYOUT = 'grown library 3';
/** Enough for a thousand proofs of a few seconds each. */
const MODULE_DEADLINE_MS = 600_000;

/** The modules of grown theorems, each after the one it imports. The same theorems give the same modules. */
export function grownModules(theorems: readonly GrownTheorem[]): GrownModule[] {
  return [...Map.groupBy(theorems, ({ header }) => header)].flatMap(([header, own]) => {
    const modules: GrownModule[] = [];
    const generations = [...Map.groupBy(own, ({ generation }) => generation)].sort(([a], [b]) => a - b);
    let earlier: readonly GrownTheorem[] = [];
    for (const [, added] of generations) {
      modules.push(grownModule(header, added, earlier, modules.at(-1)?.module ?? null));
      earlier = [...earlier, ...added];
    }
    return modules;
  });
}

function grownModule(
  header: string | null,
  theorems: readonly GrownTheorem[],
  earlier: readonly GrownTheorem[],
  before: string | null,
): GrownModule {
  const { imports, rest } = splitImports(headerOf(header));
  const parts = [
    ...imports,
    ...(before === null ? [] : [`import ${before}`]),
    rest,
    `namespace ${GROWN_NAMESPACE}`,
    'set_option autoImplicit false',
    'set_option relaxedAutoImplicit false',
    'set_option linter.all false',
  ];
  const lines: number[] = [];
  let line = parts.join('\n').split('\n').length + 1;
  for (const theorem of theorems) {
    const text = theoremText(theorem.name.slice(GROWN_NAMESPACE.length + 1), theorem);
    lines.push(line);
    parts.push(text);
    line += text.split('\n').length;
  }
  const marked = markedNamespace(theorems.at(-1)!.name).slice(GROWN_NAMESPACE.length + 1);
  const all = [...earlier, ...theorems];
  parts.push(`namespace ${marked}`, ...markLines(all), `end ${marked}`);
  const source = `${[...parts, `end ${GROWN_NAMESPACE}`].join('\n')}\n`;
  const marks = all.flatMap((one) => one.marks.map((mark) => ({ theorem: one.name, mark })));
  return {
    module: `StpGrown${contentId(LAYOUT, source)}`,
    header,
    source,
    theorems,
    lines,
    marks,
    marksFrom: line + 1,
  };
}

/** Header by header, the one under which its grown theorems are there and open. Headers that grew none are not in it. */
export function grownHeaders(theorems: readonly GrownTheorem[]): Map<string | null, string> {
  const headers = new Map<string | null, string>();
  // The last module of a header imports all before it.
  for (const { header, module } of grownModules(theorems)) {
    const { imports, rest } = splitImports(headerOf(header));
    headers.set(header, [...imports, `import ${module}`, rest, `open ${GROWN_NAMESPACE}`].join('\n'));
  }
  return headers;
}

/** Header by header, the namespace that marks all its grown theorems. */
export function grownMarks(theorems: readonly GrownTheorem[]): Map<string | null, string> {
  return new Map(theorems.map(({ header, name }) => [header, markedNamespace(name)]));
}

export interface GrowOptions {
  /** Compiled modules are kept here, by content and toolchain. */
  readonly cacheDirectory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where Lean runs: a model wrote these theorems. */
  readonly sandbox?: Sandbox;
  readonly signal?: AbortSignal;
}

/** Compiles what is not compiled yet; the environment that finds all of it. STP1202 where a module does not compile. */
export async function growEnvironment(
  environment: LeanEnvironment,
  theorems: readonly GrownTheorem[],
  options: GrowOptions,
): Promise<LeanEnvironment> {
  let grown = environment;
  for (const module of grownModules(theorems)) {
    const { folder, errors } = await compileGrownModule(grown, environment.fingerprint, module, options);
    if (errors.length > 0) throw notCompiled(module, errors);
    grown = { ...grown, searchPath: [...grown.searchPath, folder] };
  }
  const fingerprint = contentId(environment.fingerprint, ...grownModules(theorems).map(({ module }) => module));
  return { ...grown, fingerprint };
}

/**
 * The theorems of `added` that compile over `earlier`, each with the marks that Lean accepts of those it came with, or with none
 * where it is trivial by others (`consequences`). Several headers at once, in so many processes. One module holds all theorems of one header; what Lean refuses is left out, and the rest tried again. STP1202 where Lean
 * refuses a module without saying what it means.
 */
export async function growable(
  environment: LeanEnvironment,
  earlier: readonly GrownTheorem[],
  added: readonly GrownTheorem[],
  options: GrowOptions & Pick<NewTheorems, 'trivialProof'> & { readonly processes: number },
): Promise<GrownTheorem[]> {
  const { trivialProof, processes } = options;
  const grown = await growEnvironment(environment, earlier, options);
  const fitUnder = async (header: string | null, own: readonly GrownTheorem[]): Promise<GrownTheorem[]> => {
    const before = earlier.filter((theorem) => theorem.header === header);
    let standing = own;
    while (standing.length > 0) {
      const module = grownModules([...before, ...standing]).at(-1)!;
      const { folder, errors } = await compileGrownModule(grown, environment.fingerprint, module, options);
      if (errors.length === 0) {
        const under = { ...grown, searchPath: [...grown.searchPath, folder] };
        const asked = { module: module.module, header, added: standing, earlier: before, trivialProof };
        const idle = await consequences(asked, (input) => runUnder(under, { arguments: ['--stdin'], input }, options));
        return standing.map((one) => (idle.has(one.name) ? { ...one, marks: [] } : one));
      }
      const left = withoutRefused(module, errors);
      if (left === null) throw notCompiled(module, errors);
      standing = left;
    }
    return [];
  };
  const turns = new Semaphore();
  const headers = [...Map.groupBy(added, (theorem) => theorem.header)];
  const fits = await Promise.allSettled(
    headers.map(([header, own]) => turns.run(processes, () => fitUnder(header, own))),
  );
  return fits.flatMap((fit) => {
    if (fit.status === 'rejected') throw fit.reason;
    return fit.value;
  });
}

function runUnder(
  { executable, searchPath }: LeanEnvironment,
  asked: { readonly arguments: readonly string[]; readonly input?: string; readonly writable?: readonly string[] },
  { environment, sandbox, signal }: GrowOptions,
): Promise<LeanRun> {
  const { writable = [], ...process } = asked;
  return runLean({
    executable,
    searchPath,
    ...process,
    deadlineMs: MODULE_DEADLINE_MS,
    ...(environment === undefined ? {} : { environment }),
    ...(sandbox === undefined ? {} : { sandbox, writable }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The theorems of a module without those, and without the marks, that errors point at; null where one points at neither. */
function withoutRefused(
  { theorems, lines, marks, marksFrom }: GrownModule,
  errors: readonly LeanMessage[],
): GrownTheorem[] | null {
  const refused = new Set<GrownTheorem | undefined>();
  const unfit = new Set<string>();
  for (const { line } of errors) {
    const { theorem, mark } = marks[line - marksFrom] ?? {};
    if (theorem === undefined) refused.add(theorems[lines.findLastIndex((first) => first <= line)]);
    else if (theorems.some(({ name }) => name === theorem)) unfit.add(`${theorem} ${mark}`);
    else return null;
  }
  if (refused.has(undefined)) return null;
  return theorems
    .filter((theorem) => !refused.has(theorem))
    .map((one) => ({ ...one, marks: one.marks.filter((mark) => !unfit.has(`${one.name} ${mark}`)) }));
}

/** Warnings that count as errors: a proof that is missing, and a rewrite rule that would be tried on every term. */
const UNFIT_WARNING = /uses [`'‘]sorry|has a variable as head symbol/u;

/** Two compilations at once are safe: the first to finish gives the folder its name. */
async function compileGrownModule(
  environment: LeanEnvironment,
  fingerprint: string,
  { module, source }: GrownModule,
  options: GrowOptions,
): Promise<{ folder: string; errors: readonly LeanMessage[] }> {
  const folder = path.join(options.cacheDirectory, 'grown', contentId(fingerprint, module));
  const object = `${module}.olean`;
  if (await isThere(path.join(folder, object))) return { folder, errors: [] };
  const staging = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await mkdir(staging, { recursive: true });
    const file = path.join(staging, `${module}.lean`);
    await writeFile(file, source);
    const words = [`--root=${staging}`, '-o', path.join(staging, object), file];
    const run = await runUnder(environment, { arguments: words, writable: [staging] }, options);
    const errors = run.messages.filter(({ severity, text }) => severity === 'error' || UNFIT_WARNING.test(text));
    if (errors.length > 0) return { folder, errors };
    if (run.timedOut || run.exitCode !== 0)
      throw libraryError(
        `${module} was not compiled: ${run.timedOut ? 'Lean did not end in time' : run.rest.trim() || 'no message'}`,
        'See `bin/stp doctor`; then retry the round.',
      );
    await rename(staging, folder).catch(async (error: unknown) => {
      if (!(await isThere(path.join(folder, object)))) throw error;
    });
    return { folder, errors: [] };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function notCompiled({ module, source }: GrownModule, errors: readonly LeanMessage[]) {
  const { line, text } = errors[0]!;
  return libraryError(
    `grown module ${module}, line ${line} (${source.split('\n')[line - 1]?.trim() ?? ''}): ${text}`,
    'The library of the run was made with another Lean: continue with that one, or start without `library: grow`.',
  );
}
