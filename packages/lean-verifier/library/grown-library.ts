/**
 * A library that grows during a run: theorems that the run has proved and certified, as Lean modules that later proofs
 * import. This file writes, compiles and judges the modules; other code chooses the theorems.
 *
 * Each header (imports and opens of a dataset) has separate modules, so that one dataset's definitions never enter
 * another's scope. A module contains the theorems of one generation and imports the previous module. Proofs cannot be
 * circular: each was certified with the modules of earlier generations only, so it cannot name a theorem of its own
 * generation or a later one.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Semaphore } from '@stp/base';
import { publishFolder, RUN_MARK } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import type { Sandbox } from '../runtime/sandbox/sandbox.ts';
import { checkerVersions } from '../trust/certificate/checkers.ts';
import { splitImports } from '../trust/header.ts';
import {
  GROWN_NAMESPACE,
  type GrownTheorem,
  headerOf,
  type LemmaMark,
  markedNamespace,
  markLines,
  theoremText,
} from '../trust/kept-theorem.ts';
import type { OnDisagreement } from '../trust/object/disagreement.ts';
import { JUDGED_BY } from '../trust/object/findings.ts';
import { hashOfFile } from '../trust/object/judge-module.ts';
import { judgeLibraryModule, type LibraryJudgement } from '../trust/object/library-module.ts';
import { installedFolder } from '../trust/object/toolchain-folder.ts';
import type { GrownObject, LeanEnvironment } from '../verifier.ts';
import { consequences, type NewTheorems } from './consequences.ts';
import { type LeanOutput, leanMessages } from './lean-messages.ts';
import { libraryError } from './modules.ts';

export interface GrownModule {
  /** Derived from its content. It is the whole module name, so each module can be in a folder of its own. */
  readonly module: string;
  readonly header: string | null;
  readonly source: string;
  /** Modules of the library that it imports, directly or indirectly. */
  readonly below: readonly string[];
  readonly theorems: readonly GrownTheorem[];
  /** 1-based first line of each theorem in the source. */
  readonly lines: readonly number[];
  /** The marks, one per line from line `marksFrom` on. */
  readonly marks: readonly { readonly theorem: string; readonly mark: LemmaMark }[];
  readonly marksFrom: number;
}

/** Part of every module name. Increment it when the format of the source changes. */
const LAYOUT = 'grown library 3';
/** For the search for consequences, ms. */
const CONSEQUENCES_DEADLINE_MS = 600_000;
/**
 * Name of the record beside each compiled module: the checkers that judged it, the modules below it, and the hash of
 * its bytes.
 */
const RECORD = 'judged.json';

/** Modules by the array of their theorems. A worker asks for those of one library many times. */
const modulesMade = new WeakMap<readonly GrownTheorem[], readonly GrownModule[]>();

/** Returns the modules of grown theorems, each after the one that it imports. Equal theorems give equal modules. */
export function grownModules(theorems: readonly GrownTheorem[]): readonly GrownModule[] {
  const made = modulesMade.get(theorems) ?? makeModules(theorems);
  modulesMade.set(theorems, made);
  return made;
}

function makeModules(theorems: readonly GrownTheorem[]): GrownModule[] {
  return [...Map.groupBy(theorems, ({ header }) => header)].flatMap(([header, own]) => {
    const modules: GrownModule[] = [];
    const generations = [...Map.groupBy(own, ({ generation }) => generation)].sort(([a], [b]) => a - b);
    let earlier: readonly GrownTheorem[] = [];
    for (const [, added] of generations) {
      const below = modules.map(({ module }) => module);
      modules.push(grownModule(header, added, earlier, below));
      earlier = [...earlier, ...added];
    }
    return modules;
  });
}

function grownModule(
  header: string | null,
  theorems: readonly GrownTheorem[],
  earlier: readonly GrownTheorem[],
  below: readonly string[],
): GrownModule {
  const { imports, rest } = splitImports(headerOf(header));
  const parts = [
    ...imports,
    ...below.slice(-1).map((before) => `import ${before}`),
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
    below,
    theorems,
    lines,
    marks,
    marksFrom: line + 1,
  };
}

/** Returns, for each header with grown theorems, the header that imports and opens them. */
export function grownHeaders(theorems: readonly GrownTheorem[]): Map<string | null, string> {
  const headers = new Map<string | null, string>();
  // The last module of a header imports all earlier ones.
  for (const { header, module } of grownModules(theorems)) {
    const { imports, rest } = splitImports(headerOf(header));
    headers.set(header, [...imports, `import ${module}`, rest, `open ${GROWN_NAMESPACE}`].join('\n'));
  }
  return headers;
}

/** Returns, for each header with grown theorems, the namespace that marks all of them. */
export function grownMarks(theorems: readonly GrownTheorem[]): Map<string | null, string> {
  return new Map(theorems.map(({ header, name }) => [header, markedNamespace(name)]));
}

export interface GrowOptions {
  /** Compiled modules are kept here, by content and toolchain. */
  readonly cacheDirectory: string;
  readonly runMark?: string;
  /** The sandbox for Lean, because a model wrote these theorems. */
  readonly sandbox?: Sandbox;
  /**
   * Folder for an index from constants to the compiled modules that contain them. Missing: each process builds its own
   * index.
   */
  readonly indexFolder?: string;
  /** Missing: disagreements of the two kernels are only refused. */
  readonly onDisagreement?: OnDisagreement;
  readonly signal?: AbortSignal;
}

/**
 * Compiles and judges missing modules. Returns the environment that contains all of them. Throws STP1202 if a module
 * does not compile or is refused.
 */
export async function growEnvironment(
  environment: LeanEnvironment,
  theorems: readonly GrownTheorem[],
  options: GrowOptions,
): Promise<LeanEnvironment> {
  const modules = grownModules(theorems);
  const fingerprint = contentId(environment.fingerprint, ...modules.map(({ module }) => module));
  let grown = environment;
  for (const module of modules) {
    const made = await growModule(grown, environment.fingerprint, module, options);
    if (made.kind !== 'judged') throw notGrown(module, made);
    grown = withObject(grown, made.object);
  }
  return { ...grown, fingerprint };
}

/**
 * Adds a module's folder to the search path, behind the toolchain's. Lean looks for every import in each folder in turn,
 * and a run may have a module for each of a hundred headers: before them, a start of Lean would take three times as long.
 */
function withObject(environment: LeanEnvironment, object: GrownObject): LeanEnvironment {
  const { executable, searchPath, grown = [] } = environment;
  const toolchain = grown.length === 0 ? installedFolder(executable) : null;
  return {
    ...environment,
    searchPath: [...searchPath, ...(toolchain === null ? [] : [toolchain]), path.dirname(object.path)],
    grown: [...grown, object],
  };
}

/**
 * Returns the theorems of `added` that compile on top of `earlier` and are accepted, each with those of its marks that
 * Lean accepts, or without marks if it is trivial by others (`consequences`). Headers are processed concurrently. One
 * module contains all theorems of a header; refused theorems are removed and the rest is tried again. Throws STP1202 if
 * Lean refuses a module without saying where.
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
      const made = await growModule(grown, environment.fingerprint, module, options);
      if (made.kind === 'judged') {
        const under = withObject(grown, made.object);
        const asked = { module: module.module, header, added: standing, earlier: before, trivialProof };
        const idle = await consequences(asked, (input) => runUnder(under, input, options));
        return standing.map((one) => (idle.has(one.name) ? { ...one, marks: [] } : one));
      }
      const left = withoutRefused(module, made) ?? (await withoutCulprit(standing, (part) => fitUnder(header, part)));
      if (left === null) throw notGrown(module, made);
      standing = left;
    }
    return [];
  };
  const permits = new Semaphore();
  const headers = [...Map.groupBy(added, (theorem) => theorem.header)];
  const fits = await Promise.allSettled(
    headers.map(([header, own]) => permits.run(processes, () => fitUnder(header, own))),
  );
  return fits.flatMap((fit) => {
    if (fit.status === 'rejected') throw fit.reason;
    return fit.value;
  });
}

function runUnder(
  { executable, searchPath }: LeanEnvironment,
  input: string,
  { runMark, sandbox, signal }: GrowOptions,
): Promise<LeanOutput> {
  return leanMessages({
    executable,
    searchPath,
    arguments: ['--stdin'],
    input,
    deadlineMs: CONSEQUENCES_DEADLINE_MS,
    ...(runMark === undefined ? {} : { environment: { [RUN_MARK]: runMark } }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(signal === undefined ? {} : { signal }),
  });
}

type NotGrown = Exclude<LibraryJudgement, { kind: 'judged' }>;

/**
 * Returns the theorems of a module without refused ones, and without the marks at which errors point. Null if neither
 * can be identified.
 */
function withoutRefused(module: GrownModule, made: NotGrown): GrownTheorem[] | null {
  if (made.kind === 'refused') {
    const left = module.theorems.filter(({ name }) => !made.refused.has(name));
    return made.refused.size === 0 ? null : left;
  }
  const { theorems, lines, marks, marksFrom } = module;
  const refused = new Set<GrownTheorem | undefined>();
  const unfit = new Set<string>();
  if (made.errors.length === 0) return null;
  for (const { line } of made.errors) {
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

/** If the module as a whole is refused, returns the theorems of each half that fit. Null if that does not help. */
async function withoutCulprit(
  theorems: readonly GrownTheorem[],
  fit: (part: readonly GrownTheorem[]) => Promise<GrownTheorem[]>,
): Promise<GrownTheorem[] | null> {
  if (theorems.length < 2) return null;
  const half = Math.ceil(theorems.length / 2);
  const first = await fit(theorems.slice(0, half));
  const both = [...first, ...(await fit(theorems.slice(half)))];
  return both.length < theorems.length ? both : first;
}

type Grown = NotGrown | { readonly kind: 'judged'; readonly object: GrownObject };

/**
 * Returns the module, which is judged now or was before. Concurrent calls are safe: the first to finish renames its
 * folder to the final name.
 */
async function growModule(
  environment: LeanEnvironment,
  fingerprint: string,
  module: GrownModule,
  options: GrowOptions,
): Promise<Grown> {
  const { runMark, sandbox, signal, indexFolder = null, onDisagreement = null } = options;
  const folder = path.join(options.cacheDirectory, 'grown', contentId(fingerprint, module.module));
  const processContext = { environment, workingDirectory: options.cacheDirectory, runMark, sandbox };
  const judgedBy = [...JUDGED_BY, ...(await checkerVersions(processContext)), sandbox?.facts.kind ?? 'none'];
  const below = new Set(module.below);
  const over = (environment.grown ?? []).filter((object) => below.has(path.basename(object.path, '.olean')));
  const record = JSON.stringify({ judgedBy, over: over.map(({ hash }) => hash) });
  const known = await knownObject(folder, module.module, record);
  if (known !== null) return { kind: 'judged', object: known };
  const directory = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  try {
    const made = await judgeLibraryModule(module, {
      processContext,
      directory,
      indexFolder,
      onDisagreement,
      signal,
    });
    if (made.kind !== 'judged') return made;
    await writeFile(path.join(directory, RECORD), JSON.stringify({ record, hash: made.hash }));
    // An existing module is replaced if other kernels judged it, other modules are below it, or it has changed since.
    const isKnown = async (): Promise<boolean> => (await knownObject(folder, module.module, record)) !== null;
    await publishFolder(directory, folder, isKnown);
    return { kind: 'judged', object: { path: path.join(folder, `${module.module}.olean`), hash: made.hash } };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the compiled module if it matches the record beside it, otherwise null. */
async function knownObject(folder: string, module: string, record: string): Promise<GrownObject | null> {
  const object = path.join(folder, `${module}.olean`);
  try {
    const kept = JSON.parse(await readFile(path.join(folder, RECORD), 'utf8'));
    const hash = await hashOfFile(object);
    return kept.record === record && kept.hash === hash ? { path: object, hash } : null;
  } catch {
    return null;
  }
}

function notGrown({ module, source }: GrownModule, made: NotGrown) {
  const advice =
    'The library of the run was made with another Lean: go on with that one, or start without `library: grow`.';
  if (made.kind === 'refused') {
    const [theorem = 'the module', why = made.objection] = [...made.refused][0] ?? [];
    return libraryError(`grown module ${module}: ${theorem} is refused: ${why}`, advice);
  }
  const [error] = made.errors;
  if (error === undefined)
    return libraryError(`${module} was not compiled: ${made.failure}`, 'See `bin/stp doctor`; then retry the round.');
  const { line, text } = error;
  return libraryError(
    `grown module ${module}, line ${line} (${source.split('\n')[line - 1]?.trim() ?? ''}): ${text}`,
    advice,
  );
}
