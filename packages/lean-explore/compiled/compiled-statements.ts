/**
 * The theorems of compiled modules as statements to prove, module after module in the order of the library. Memory does
 * not grow with the library: a few modules are worked on at once, and of those behind it keeps a short key of each theorem.
 */
import { HEADER_CHARS_MAX } from '@stp/config/records';
import { type Assumed, type AssumptionModule, type AssumptionTask, assume } from './assumptions.ts';
import type { GraphModule, ModuleGraph } from './module-graph.ts';
import { type FoundTheorem, type LeftOut, type ReadModule, TheoremReader } from './reader.ts';
import { type RestatedModule, type RestateTask, restate } from './restate.ts';

export interface CompiledSetOptions extends RestateTask {
  readonly graph: ModuleGraph;
  /** Folders of all modules of the graph. */
  readonly searchPath: readonly string[];
  readonly indexFolder: string | null;
  readonly isAskedModule: (name: string) => boolean;
  readonly isAskedName: (shown: string) => boolean;
  /** Are the modules Lean's own, so that a header that must not know them begins with `prelude`? */
  readonly isPrelude: boolean;
  /** Where earlier theorems of a module are stated as assumptions; null: they are not. */
  readonly assumptions: Pick<AssumptionTask, 'prefix' | 'directory'> | null;
  /** Are the constants that proofs mention told? */
  readonly withPremises: boolean;
  /** Modules worked on at once. */
  readonly width: number;
}

export interface CompiledTheorem {
  /** With dots, odd parts in «». */
  readonly name: string;
  /** The text after the name. */
  readonly signature: string;
  /** The lines above it: `prelude`, then `import A`, one a line. */
  readonly header: string;
  /** Where it stands among the theorems of its module; null where the module does not tell. */
  readonly order: number | null;
  readonly premises: FoundTheorem['premises'];
}

export interface CompiledModuleStatements {
  readonly module: GraphModule;
  /** Is it only what the module itself imports, because Lean cannot load more together? */
  readonly isNarrow: boolean;
  readonly theorems: readonly CompiledTheorem[];
  /** How many of them are printed with all their implicit arguments. */
  readonly explicit: number;
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  readonly examples: readonly string[];
  readonly assumed: readonly AssumptionModule[];
  /** `NAME: why` of what could not be assumed. */
  readonly unassumed: readonly string[];
  /** Why nothing of the module is there; empty where it could be read. */
  readonly problem: string;
}

export async function* compiledStatements(options: CompiledSetOptions): AsyncGenerator<CompiledModuleStatements> {
  const reader = new TheoremReader({
    modules: options.graph.inOrder().map(({ name }) => name),
    searchPath: options.searchPath,
    indexFolder: options.indexFolder,
    isAsked: options.isAskedName,
    withPremises: options.withPremises,
  });
  const known = new KnownStatements();
  const running: Promise<CompiledModuleStatements>[] = [];
  for (const module of options.graph.inOrder()) {
    if (!options.isAskedModule(module.name)) continue;
    options.signal?.throwIfAborted();
    const work = stateModule(module, reader, known, options);
    // Its failure is thrown when its turn comes.
    work.catch(() => {});
    running.push(work);
    if (running.length >= options.width) yield await running.shift()!;
  }
  for (const work of running) yield await work;
}

async function stateModule(
  module: GraphModule,
  reader: TheoremReader,
  known: KnownStatements,
  options: CompiledSetOptions,
): Promise<CompiledModuleStatements> {
  const { graph, isPrelude } = options;
  const lines = (names: readonly string[]): string[] => [
    ...(isPrelude ? ['prelude'] : []),
    ...names.map((name) => `import ${name}`),
  ];
  const besides = graph.besides(module.name);
  const none = {
    module,
    isNarrow: false,
    theorems: [],
    explicit: 0,
    leftOut: {},
    examples: [],
    assumed: [],
    unassumed: [],
  };
  let read: ReadModule;
  try {
    read = known.withoutRepeated(reader.read(module), module.name, besides);
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...none, problem: (error as Error).message };
  }
  const wide = lines(graph.maximal(besides));
  const narrow = lines([...module.imports].sort());
  let isNarrow = wide.join('\n').length > HEADER_CHARS_MAX;
  let done = await restate(module, read, isNarrow ? narrow : wide, options);
  if (!isNarrow && read.theorems.length > 0 && done.leftOut.unloaded === read.theorems.length) {
    isNarrow = true;
    done = await restate(module, read, narrow, options);
  }
  const headerLines = isNarrow ? narrow : wide;
  const { modules, before, problems }: Assumed =
    options.assumptions === null
      ? { modules: [], before: new Map(), problems: [] }
      : await assume(module.name, done.restated, read, headerLines, { ...options, ...options.assumptions });
  const headerOf = (shown: string): string => {
    const assumed = before.get(shown);
    return (assumed === undefined ? headerLines : lines([assumed])).join('\n');
  };
  return {
    module,
    isNarrow,
    theorems: done.restated.map(({ theorem, signature }) => ({
      name: theorem.shown,
      signature,
      header: headerOf(theorem.shown),
      order: theorem.order,
      premises: theorem.premises,
    })),
    explicit: done.restated.filter(({ printing }) => printing === 'explicit').length,
    leftOut: sum(read.leftOut, done.leftOut),
    examples: done.examples,
    assumed: modules,
    unassumed: problems,
    problem: '',
  };
}

function sum(first: ReadModule['leftOut'], second: RestatedModule['leftOut']): Partial<Record<LeftOut, number>> {
  const total: Partial<Record<LeftOut, number>> = { ...first };
  for (const [reason, count] of Object.entries(second) as [LeftOut, number][])
    total[reason] = (total[reason] ?? 0) + count;
  return total;
}

/** Who states what, by the keys of statements. */
class KnownStatements {
  readonly #modules = new Map<string, string[]>();

  /** Without the theorems that a module beside it, or an earlier theorem of its own, states as well. */
  withoutRepeated(read: ReadModule, module: string, besides: ReadonlySet<string>): ReadModule {
    const own = new Set<string>();
    const theorems = read.theorems.filter(({ key }) => {
      const isKnown = own.has(key) || (this.#modules.get(key) ?? []).some((other) => besides.has(other));
      own.add(key);
      return !isKnown;
    });
    for (const key of read.keys.keys()) {
      const others = this.#modules.get(key);
      if (others === undefined) this.#modules.set(key, [module]);
      else others.push(module);
    }
    const repeated = read.theorems.length - theorems.length;
    return { ...read, theorems, leftOut: { ...read.leftOut, ...(repeated > 0 && { repeated }) } };
  }
}
