/**
 * Reads the theorems of compiled modules as statements to prove, module by module in the order of the library. Memory
 * use hardly grows with the library: a few modules are processed at once, and of finished modules only a short key of
 * each theorem is kept.
 */
import { HEADER_CHARS_MAX } from '@stp/config/records';
import { Decline, InputError } from '@stp/lean-kernel';
import type { GraphModule, ModuleGraph } from './module-graph.ts';
import { printPremises } from './print-statements.ts';
import { type FoundTheorem, type LeftOut, type ReadModule, TheoremReader } from './reader.ts';
import { type RestatedModule, type RestateTask, restate } from './restate.ts';

export interface CompiledSetOptions extends RestateTask {
  readonly graph: ModuleGraph;
  /** Folders that contain all modules of the graph. */
  readonly searchPath: readonly string[];
  readonly indexFolder: string | null;
  readonly isAskedModule: (name: string) => boolean;
  /** Selects modules whose theorems proofs may use; their statements are returned too. */
  readonly isPremiseModule: (name: string) => boolean;
  readonly isAskedName: (shown: string) => boolean;
  /** Whether the modules belong to Lean itself. Then a header that must not import them begins with `prelude`. */
  readonly isPrelude: boolean;
  /** Whether to list the constants that proofs mention. */
  readonly withPremises: boolean;
  /** Number of modules processed concurrently. */
  readonly width: number;
}

export interface CompiledTheorem {
  /** Name with dots; unusual components are in «». */
  readonly name: string;
  /** The text after the name. */
  readonly signature: string;
  /** The lines above it: `prelude`, then `import A`, one per line. */
  readonly header: string;
  readonly premises: FoundTheorem['premises'];
}

export interface CompiledModuleStatements {
  readonly module: GraphModule;
  /** Whether statements were requested, or only premises. */
  readonly isAsked: boolean;
  /** Its theorems for use in other proofs: names, and the texts after them. */
  readonly premises: readonly { readonly name: string; readonly signature: string }[];
  /** Whether the header imports only what the module imports, because Lean cannot load more modules together. */
  readonly isNarrow: boolean;
  readonly theorems: readonly CompiledTheorem[];
  /** How many of them are printed with all implicit arguments. */
  readonly explicit: number;
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  readonly examples: readonly string[];
  /** Why the module could not be read; empty if it could. */
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
  const running: Promise<readonly CompiledModuleStatements[]>[] = [];
  for (const modules of worked(options)) {
    options.signal?.throwIfAborted();
    const work = options.isAskedModule(modules[0]!.name)
      ? stateModule(modules[0]!, reader, known, options).then((stated) => [stated])
      : premisesOf(modules, reader, known, options);
    // Its error is thrown when its result is awaited.
    work.catch(() => {});
    running.push(work);
    if (running.length >= options.width) yield* await running.shift()!;
  }
  for (const work of running) yield* await work;
}

/** Maximum number of premise modules that one Lean process prints. */
const PREMISE_MODULES_MAX = 32;

/** Yields the requested modules one by one, and the premise modules between them in groups, in the graph's order. */
function* worked({ graph, isAskedModule, isPremiseModule }: CompiledSetOptions): Generator<readonly GraphModule[]> {
  let group: GraphModule[] = [];
  for (const module of graph.inOrder()) {
    const isAsked = isAskedModule(module.name);
    if (!isAsked && isPremiseModule(module.name)) group.push(module);
    if (group.length === PREMISE_MODULES_MAX || (isAsked && group.length > 0)) {
      yield group;
      group = [];
    }
    if (isAsked) yield [module];
  }
  if (group.length > 0) yield group;
}

const UNSTATED = {
  isNarrow: false,
  theorems: [],
  explicit: 0,
  leftOut: {},
  examples: [],
  problem: '',
} as const;

type PremiseNames = Pick<ReadModule, 'theorems' | 'others'>;

/** Reads modules without requested statements. Unreadable modules have no premises. */
async function premisesOf(
  modules: readonly GraphModule[],
  reader: TheoremReader,
  known: KnownStatements,
  options: CompiledSetOptions,
): Promise<readonly CompiledModuleStatements[]> {
  const read = modules.map((module): { module: GraphModule; its: PremiseNames; problem: string } => {
    try {
      const its = known.withoutRepeated(reader.read(module), module.name, options.graph.besides(module.name));
      return { module, its, problem: '' };
    } catch (error) {
      if (!(error instanceof InputError) && !(error instanceof Decline)) throw error;
      return { module, its: { theorems: [], others: [] }, problem: error.message };
    }
  });
  const names = read.flatMap(({ its }) => premiseNames(its));
  let texts = await printed(modules, names, options);
  // Modules that cannot be loaded together are printed one by one.
  if (texts.size === 0 && modules.length > 1)
    texts = new Map(
      (await Promise.all(read.map(({ module, its }) => printed([module], premiseNames(its), options)))).flatMap(
        (some) => [...some],
      ),
    );
  return read.map(({ module, its, problem }) => {
    const premises = premiseNames(its).flatMap((name) => premise(name, texts));
    return { ...UNSTATED, module, isAsked: false, premises, problem };
  });
}

const premiseNames = ({ theorems, others }: PremiseNames): string[] => [
  ...others,
  ...theorems.map(({ shown }) => shown),
];

function premise(name: string, texts: ReadonlyMap<string, string>): CompiledModuleStatements['premises'] {
  const signature = texts.get(name);
  return signature === undefined ? [] : [{ name, signature }];
}

function printed(
  modules: readonly GraphModule[],
  names: readonly string[],
  options: CompiledSetOptions,
): Promise<Map<string, string>> {
  const imports = modules.map(({ name }) => `import ${name}`);
  return printPremises(names, {
    ...options,
    header: [...(options.isPrelude ? ['prelude'] : []), ...imports].join('\n'),
  });
}

/** @param stated texts of the restated theorems, by name */
async function statedPremises(
  module: GraphModule,
  read: PremiseNames,
  stated: ReadonlyMap<string, string>,
  options: CompiledSetOptions,
): Promise<CompiledModuleStatements['premises']> {
  if (!options.isPremiseModule(module.name)) return [];
  const names = premiseNames(read);
  const others = await printed(
    [module],
    names.filter((name) => !stated.has(name)),
    options,
  );
  return names.flatMap((name) => premise(name, stated.has(name) ? stated : others));
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
  let read: ReadModule;
  try {
    read = known.withoutRepeated(reader.read(module), module.name, besides);
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...UNSTATED, module, isAsked: true, premises: [], problem: (error as Error).message };
  }
  const wide = lines(graph.maximal(besides));
  const narrow = lines([...module.imports].sort());
  let isNarrow = wide.join('\n').length > HEADER_CHARS_MAX;
  let done = await restate(module, read, isNarrow ? narrow : wide, options);
  if (!isNarrow && read.theorems.length > 0 && done.leftOut.unloaded === read.theorems.length) {
    isNarrow = true;
    done = await restate(module, read, narrow, options);
  }
  const header = (isNarrow ? narrow : wide).join('\n');
  const texts = new Map(done.restated.map(({ theorem, signature }) => [theorem.shown, signature]));
  return {
    module,
    isAsked: true,
    premises: await statedPremises(module, read, texts, options),
    isNarrow,
    theorems: done.restated.map(({ theorem, signature }) => ({
      name: theorem.shown,
      signature,
      header,
      premises: theorem.premises,
    })),
    explicit: done.restated.filter(({ printing }) => printing === 'explicit').length,
    leftOut: sum(read.leftOut, done.leftOut),
    examples: done.examples,
    problem: '',
  };
}

function sum(first: ReadModule['leftOut'], second: RestatedModule['leftOut']): Partial<Record<LeftOut, number>> {
  const total: Partial<Record<LeftOut, number>> = { ...first };
  for (const [reason, count] of Object.entries(second) as [LeftOut, number][])
    total[reason] = (total[reason] ?? 0) + count;
  return total;
}

/** Modules that contain a statement, by its key. */
class KnownStatements {
  readonly #modules = new Map<string, string[]>();

  /** Removes theorems that a module in `besides`, or an earlier theorem of this module, also states. */
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
