/**
 * `bin/stp data prepare --from lean` and `--from project`: problem sets from the theorems in compiled modules, of the
 * installed Lean or of a built Lake project.
 */
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { readLines } from '@stp/base/files';
import { statementId } from '@stp/config/ids';
import { type Split, STATEMENT_CHARS_MAX, type Statement } from '@stp/config/records';
import { CORPUS_FILE, ORIGIN_FILE, type SetOrigin, splitOfSource, writeFolder, writeLines } from '@stp/datasets';
import {
  areaOf,
  type CompiledModuleStatements,
  type CorpusFile,
  compiledStatements,
  type GraphModule,
  ModuleGraph,
  modulesBelow,
  NoveltyBounds,
} from '@stp/lean-explore';
import { MEMORY_BYTES_MAX, readLakeProject, toolchainFolder } from '@stp/lean-verifier';
import type { PreparedProofs } from '../../activities/sft/project-proofs.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { describeSetup, type LeanSetup, openLeanSetup } from '../shared/lean-setup.ts';
import { stopSignal } from '../shared/stop-signals.ts';
import { type CompiledCounts, compiledCard, countModule, describedCounts, noCounts } from './compiled-card.ts';
import { describedProofs, prepareProjectProofs } from './data-project-proofs.ts';

export const SPLITS = ['random', 'modules', 'novel-premises'] as const;
export type CompiledSplit = (typeof SPLITS)[number];

export interface CompiledOptions {
  readonly from: string;
  readonly input?: string;
  readonly name?: string;
  /** Module names separated by commas; each includes its submodules. */
  readonly modules?: string;
  readonly areas?: string;
  /** Name patterns separated by commas; `*` matches any text. */
  readonly names?: string;
  readonly split?: string;
  readonly as?: Split;
  readonly weight?: number;
  readonly charsMax?: number;
  /** Also make SFT sets of the proofs in the project's sources. */
  readonly proofs?: boolean;
  readonly replace?: boolean;
  readonly json?: boolean;
}

const CHARS_MAX = 1_000;
const HEADER_ADVICE = 'Name modules of it with --modules, as `bin/stp data prepare --help` explains.';

/** Makes the set in `folder/problems/NAME`. Prints counts and the option with which a run uses the set. */
export async function prepareCompiled(options: CompiledOptions, name: string, data: string): Promise<void> {
  const signal = stopSignal();
  const split = splitOf(options.split);
  const settings = workerSettings();
  const folder = join(data, 'problems', name);
  const input = options.from === 'project' ? resolve(required(options.input)) : null;
  const project = input === null ? null : await readLakeProject(input, '--input');
  const setup = await openLeanSetup(
    'data',
    { ...settings, leanProject: input },
    'where-available',
    signal,
    (given, onProgress, stop) => leanEnvironment(given, onProgress, stop, 'untried'),
  );
  try {
    const ground = await openGround(setup, project?.searchPath ?? null, signal);
    const counts = await write(folder, { options, name, split, setup, ground, signal });
    const made = options.proofs === true && input !== null ? await prepareProofs(input) : null;
    if (options.json === true)
      return console.log(
        JSON.stringify({ name, folder, ...counts, ...(made === null ? {} : { proofs: made.counts }) }),
      );
    console.log(describedCounts(name, folder, counts));
    console.log(
      `Made with ${describeSetup(setup)}. A run takes it with --set 'data.problemSets=${JSON.stringify([name])}'.`,
    );
    if (made !== null) console.log(describedProofs(made));
  } finally {
    await setup.scratch.remove();
  }

  async function prepareProofs(project: string): Promise<PreparedProofs> {
    const target = { name, data, seed: 0, replace: options.replace === true };
    return prepareProjectProofs(project, folder, target, setup, signal);
  }
}

interface Ground {
  readonly graph: ModuleGraph;
  readonly searchPath: readonly string[];
  readonly isPrelude: boolean;
  /** Returns whether statements are taken from the module by default. */
  readonly isOwn: (module: string) => boolean;
}

async function openGround(
  { environment, scratch }: LeanSetup,
  projectPath: readonly string[] | null,
  signal: AbortSignal,
): Promise<Ground> {
  const process = { environment, workingDirectory: scratch.directory };
  const library = await toolchainFolder({ processContext: process, signal, memoryBytesMax: MEMORY_BYTES_MAX });
  if (library === null)
    throw new StpError('STP1201', 'Lean does not say where its library is', 'Run `bin/stp doctor`.');
  if (projectPath === null) {
    const names = modulesBelow(library).filter((name) => /^(?:Init|Std)(?:\.|$)/u.test(name));
    const graph = ModuleGraph.read(names, [library]);
    return { graph, searchPath: [library], isPrelude: true, isOwn: (module) => /^Init(?:\.|$)/u.test(module) };
  }
  const searchPath = [...projectPath, library];
  const own = modulesBelow(projectPath[0]!);
  const graph = ModuleGraph.read(own, searchPath);
  const readable = new Set(own.filter((module) => graph.get(module) !== undefined));
  if (readable.size === 0)
    throw new StpError(
      'STP1201',
      `none of the ${own.length} modules of the project can be read: ${graph.unreadable[0]?.why ?? 'there is none'}`,
      `Build the project with the Lean in use, ${environment.version}.`,
    );
  return { graph, searchPath, isPrelude: false, isOwn: (module) => readable.has(module) };
}

interface Task {
  readonly options: CompiledOptions;
  readonly name: string;
  readonly split: CompiledSplit;
  readonly setup: LeanSetup;
  readonly ground: Ground;
  readonly signal: AbortSignal;
}

async function write(folder: string, task: Task): Promise<CompiledCounts> {
  const { options, name, setup, ground, split } = task;
  const counts = noCounts(ground.graph.unreadable);
  const bounds = new NoveltyBounds();
  const asked = askedModules(options, ground);
  return writeFolder(folder, options.replace === true, async (partial) => {
    const modules = compiledStatements({
      ...ground,
      environment: setup.environment,
      sandbox: setup.sandbox,
      scratchDirectory: setup.scratch.directory,
      indexFolder: setup.indexFolder,
      charsMax: Math.min(options.charsMax ?? CHARS_MAX, STATEMENT_CHARS_MAX),
      isAskedModule: asked,
      isPremiseModule: ground.isOwn,
      isAskedName: namePattern(options.names),
      withPremises: split === 'novel-premises',
      width: availableParallelism(),
      signal: task.signal,
    });
    const ids = new Set<string>();
    const corpus = new CorpusWriter(join(partial, CORPUS_FILE), ground.graph);
    async function* rows(): AsyncGenerator<Row> {
      for await (const stated of modules) {
        await corpus.add(stated);
        counts.premises += stated.premises.length;
        if (!stated.isAsked) continue;
        countModule(counts, stated);
        tell(stated, counts);
        for (const theorem of stated.theorems) {
          const statement = `theorem ${theorem.name}${theorem.signature}`;
          const id = statementId(theorem.header, statement);
          if (ids.has(id)) counts.leftOut.repeated = (counts.leftOut.repeated ?? 0) + 1;
          else {
            ids.add(id);
            const novelty = bounds.add(theorem.premises);
            yield { module: stated.module.name, id, name: theorem.name, header: theorem.header, statement, novelty };
          }
        }
      }
      await corpus.finish();
    }
    await writeLines(partial, 'rows.jsonl', rows());
    if (ids.size === 0)
      throw new StpError('STP1501', `no theorem of ${counts.modules} modules can be stated`, HEADER_ADVICE);
    if (split === 'novel-premises' && bounds.count === 0)
      throw new StpError(
        'STP1002',
        `--split novel-premises needs proofs, and the modules have none (${setup.environment.version})`,
        'Say --split random or --split modules.',
      );
    await writeLines(partial, 'statements.jsonl', statements(partial, task, bounds, counts));
    await rm(join(partial, 'rows.jsonl'));
    const { environment } = setup;
    const origin: SetOrigin = {
      form: 1,
      lean: environment.version,
      project: environment.project ?? null,
      split,
    };
    await writeFile(join(partial, ORIGIN_FILE), `${JSON.stringify(origin)}\n`);
    await writeFile(join(partial, 'card.md'), compiledCard(name, origin, describeSetup(setup), counts));
    return counts;
  });
}

/**
 * Writes a library's theorems by module in the form of LeanDojo's `corpus.jsonl`: one line for each module, after the
 * modules that it imports. The line number of a theorem is its position in the module.
 */
class CorpusWriter {
  readonly #path: string;
  readonly #waiting: GraphModule[];

  constructor(path: string, graph: ModuleGraph) {
    this.#path = path;
    this.#waiting = graph.inOrder();
  }

  /** Adds a module. Modules come in the graph's order; those in between have no theorems. */
  async add({ module, premises }: Pick<CompiledModuleStatements, 'module' | 'premises'>): Promise<void> {
    while (this.#waiting.length > 0 && this.#waiting[0]!.name !== module.name) await this.#write(this.#waiting[0]!, []);
    await this.#write(module, premises);
  }

  async finish(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting[0]!, []);
  }

  async #write({ name, imports }: GraphModule, premises: CompiledModuleStatements['premises']): Promise<void> {
    this.#waiting.shift();
    const file: CorpusFile = {
      path: name,
      imports: [...imports],
      premises: premises.map(({ name: theorem, signature }, index) => ({
        full_name: theorem,
        code: `theorem ${theorem}${signature}`,
        start: [index + 1, 1],
        end: [index + 1, 2],
        kind: 'theorem',
      })),
    };
    await appendFile(this.#path, `${JSON.stringify(file)}\n`);
  }
}

interface Row extends Pick<Statement, 'id' | 'name' | 'statement'> {
  readonly header: string;
  readonly module: string;
  readonly novelty: number | null;
}

async function* statements(
  partial: string,
  { options, name, split }: Task,
  bounds: NoveltyBounds,
  counts: CompiledCounts,
): AsyncGenerator<Statement> {
  const bound = bounds.bound();
  for await (const { text } of readLines(join(partial, 'rows.jsonl'))) {
    const { module, novelty, id, name: theorem, header, statement } = JSON.parse(text) as Row;
    const bySplit: Record<CompiledSplit, () => Split> = {
      random: () => splitOfSource(`${name}/${theorem}`),
      modules: () => splitOfSource(`${name}/${module}`),
      'novel-premises': () => (novelty !== null && novelty < bound ? 'held-out' : 'train'),
    };
    const its = options.as ?? bySplit[split]();
    counts[its === 'train' ? 'train' : 'heldOut'] += 1;
    const labels = [name, areaOf(module), module.slice(0, 128)];
    yield { id, name: theorem, header, statement, split: its, labels, weight: options.weight ?? 1 };
  }
}

function tell({ module, theorems, problem }: CompiledModuleStatements, { modules, statements }: CompiledCounts): void {
  if (problem !== '') console.error(`${module.name} is left out: ${problem}`);
  else if (modules % 20 === 0)
    console.error(`${modules} modules, ${statements} statements; ${module.name}: ${theorems.length}`);
}

function askedModules({ modules, areas }: CompiledOptions, { isOwn, graph }: Ground): (name: string) => boolean {
  const named = modules?.split(',').map((word) => word.trim()) ?? [];
  for (const name of named)
    if (!graph.inOrder().some((module) => isBelow(module.name, name)))
      throw new StpError(
        'STP1002',
        `there is no module ${name.slice(0, 128)}`,
        'Use names as in an import, `Init.Data.List`.',
      );
  const wanted = areas === undefined ? null : new Set(areas.split(',').map((word) => word.trim()));
  return (name) =>
    (named.length === 0 ? isOwn(name) : named.some((above) => isBelow(name, above))) &&
    (wanted === null || wanted.has(areaOf(name)));
}

const isBelow = (name: string, above: string): boolean => name === above || name.startsWith(`${above}.`);

function namePattern(patterns: string | undefined): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const all = patterns.split(',').map((pattern) => {
    const text = pattern
      .trim()
      .replaceAll(/[\\^$.+?()[\]{}|]/gu, '\\$&')
      .replaceAll('*', '.*');
    return new RegExp(`^${text}$`, 'u');
  });
  return (name) => all.some((pattern) => pattern.test(name));
}

function splitOf(word = 'random'): CompiledSplit {
  const found = SPLITS.find((split) => split === word);
  if (found !== undefined) return found;
  throw new StpError(
    'STP1002',
    `there is no split ${word.slice(0, 64)} of compiled modules`,
    `Say ${SPLITS.join(', ')}.`,
  );
}

function required(input: string | undefined): string {
  if (input !== undefined) return input;
  throw new StpError('STP1002', '--input is missing', 'Give the folder of a built Lake project.');
}
