/**
 * Reads the theorems of compiled modules, one module after another. The tables of terms are discarded once they are
 * large, so memory use does not grow with the library.
 */
import {
  CompiledLibrary,
  type CompiledModule,
  DEFAULT_LIMITS,
  displayName,
  explained,
  isDerivedPart,
  Kernel,
  type Name,
  readModule,
  type SimpMark,
  Terms,
  TypeKeys,
} from '@stp/lean-kernel';
import { mentionsInOrder } from '../context/mentions.ts';
import type { GraphModule } from './module-graph.ts';

/** Number of expressions after which the tables are discarded. Each takes about 60 bytes, including cached data. */
const NODES_MAX = 3_000_000;

/** Reasons why a theorem of a module is not stated again. */
export const LEFT_OUT = {
  private: 'private names',
  generated: 'names that Lean made up',
  unasked: 'names that were not asked for',
  deprecated: 'deprecated',
  tactic: 'lemmas of tactics (namespace Lean)',
  own: 'about what their own module defines',
  repeated: 'the statement of an imported theorem under another name',
  long: 'longer than the bound',
  unprinted: 'not printed by Lean',
  refused: 'refused by the screen of statements',
  unread: 'printed text does not elaborate under the header',
  different: 'printed text means something else under the header',
  unloaded: 'no header that Lean can load',
} as const;
export type LeftOut = keyof typeof LEFT_OUT;

export interface FoundTheorem {
  readonly name: Name;
  /** Name with dots; unusual components are in «». */
  readonly shown: string;
  /** Index among the constants of its module. */
  readonly index: number;
  /** Equal for theorems with the same statement. */
  readonly key: string;
  /** Position among the module's theorems; null if the compiled module does not tell. */
  readonly order: number | null;
  /**
   * Constants that its proof mentions and its statement does not. Null if there is no proof, or if they were not
   * requested.
   */
  readonly premises: readonly string[] | null;
}

export interface ReadModule {
  readonly module: CompiledModule;
  readonly terms: Terms;
  readonly theorems: readonly FoundTheorem[];
  /** Names, with dots, of theorems that are not restated but that proofs elsewhere may use. */
  readonly others: readonly string[];
  /** Number of statements that are not restated, by reason. */
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  /** Keys of all its theorems with their names, including those that are left out. */
  readonly keys: ReadonlyMap<string, string>;
}

export interface ReaderOptions {
  /** Names of all modules that may be read or mentioned. */
  readonly modules: readonly string[];
  readonly searchPath: readonly string[];
  /** Folder for an index from constants to modules; null for none. */
  readonly indexFolder: string | null;
  /** Whether the theorem with this name was requested. */
  readonly isAsked: (shown: string) => boolean;
  /** Whether to list the constants that proofs mention. */
  readonly withPremises: boolean;
}

interface Tables {
  readonly terms: Terms;
  readonly library: CompiledLibrary;
  readonly kernel: Kernel;
  readonly keys: TypeKeys;
}

export class TheoremReader {
  readonly #options: ReaderOptions;
  #tables: Tables | null = null;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Throws `InputError` for a damaged module, or `Decline`. */
  read(from: GraphModule): ReadModule {
    const tables = this.#open();
    return explained(from.path, () =>
      new ModuleReading(readModule(from.path, tables.terms), tables).run(this.#options),
    );
  }

  #open(): Tables {
    if (this.#tables !== null && this.#tables.terms.nodes.count < NODES_MAX) return this.#tables;
    const { modules, searchPath, indexFolder } = this.#options;
    const terms = new Terms();
    const library = new CompiledLibrary(terms, modules, searchPath, indexFolder);
    const kernel = new Kernel(terms, { limits: DEFAULT_LIMITS, trusted: library });
    this.#tables = { terms, library, kernel, keys: new TypeKeys(terms) };
    return this.#tables;
  }
}

class ModuleReading {
  readonly #module: CompiledModule;
  readonly #tables: Tables;
  readonly #left: Partial<Record<LeftOut, number>> = {};
  readonly #keys = new Map<string, string>();

  constructor(module: CompiledModule, tables: Tables) {
    this.#module = module;
    this.#tables = tables;
  }

  run({ isAsked, withPremises }: ReaderOptions): ReadModule {
    const module = this.#module;
    const { terms } = this.#tables;
    const ranges = module.entries.sourceRanges();
    const deprecated = module.entries.deprecated();
    const marks = module.entries.simpMarks();
    const orderOf = sourceOrder(ranges, marks);
    const indices = new Map(module.names.map((name, index) => [name, index]));
    const theorems: FoundTheorem[] = [];
    const others: string[] = [];
    for (const [index, name] of module.names.entries()) {
      const key = this.#statementKey(index);
      if (key === null) continue;
      const shown = displayName(terms.names, name);
      const kind = kindOfName(terms, name, ranges.size > 0 ? ranges.has(name) : null);
      if (kind === null) this.#keys.set(key, shown);
      const inType = mentionsInOrder(terms, [module.constant(index, false).type]);
      const isOwn = (its: Name): boolean => indices.has(its) && !isPartOfStatement(terms, its);
      const reason =
        kind ??
        (deprecated.has(name) ? 'deprecated' : null) ??
        (isAsked(shown) ? null : 'unasked') ??
        (shown.startsWith('Lean.') ? 'tactic' : null) ??
        (inType.some(isOwn) ? 'own' : null);
      if (reason !== null) this.#leave(reason);
      if (reason === 'own' || reason === 'unasked') others.push(shown);
      if (reason === null)
        theorems.push({
          name,
          shown,
          index,
          key,
          order: orderOf.get(name) ?? null,
          premises: withPremises && !module.isAxiom(index) ? this.#premises(index, inType) : null,
        });
    }
    theorems.sort((a, b) => (a.order ?? -1) - (b.order ?? -1) || (a.shown < b.shown ? -1 : 1));
    return { module, terms, theorems, others, leftOut: this.#left, keys: this.#keys };
  }

  #premises(index: number, inType: readonly Name[]): string[] {
    const { terms } = this.#tables;
    const stated = new Set(inType);
    return [...this.#module.mentioned(index)]
      .filter((its) => !stated.has(its) && kindOfName(terms, its, null) === null)
      .map((its) => displayName(terms.names, its));
  }

  #leave(reason: LeftOut): void {
    this.#left[reason] = (this.#left[reason] ?? 0) + 1;
  }

  /** Returns null for a constant that states nothing: a definition, or a function without a body in the package. */
  #statementKey(index: number): string | null {
    const { kernel, keys } = this.#tables;
    const constant = this.#module.constant(index, false);
    if (constant.kind === 'theorem') return keys.of(constant);
    if (constant.kind !== 'axiom' || constant.isUnsafe) return null;
    return kernel.ask((checker) => checker.inference.isProposition(constant.type)) === true ? keys.of(constant) : null;
  }
}

/** Returns why the name was not written by a person; null if it was, as far as can be determined. */
function kindOfName({ names }: Terms, name: Name, isWritten: boolean | null): LeftOut | null {
  const parts = names.parts(name);
  if (parts[0] === '_private') return 'private';
  const isGenerated =
    isWritten === false ||
    parts.some((part) => typeof part === 'bigint' || part.startsWith('_') || part === '_@') ||
    // Automatic names of instances, such as `instDecidableEqNat`.
    /^inst[A-Z]/u.test(String(parts.at(-1))) ||
    isDerivedPart(String(parts.at(-1)));
  return isGenerated ? 'generated' : null;
}

/** A `match` in a statement is a constant of its module. Lean makes it again when the statement is elaborated again. */
const isPartOfStatement = ({ names }: Terms, name: Name): boolean => /^match_\d/.test(String(names.last(name)));

/**
 * Returns the order of theorems if the compiled module tells it: by source ranges or, without these, by the list of
 * `simp` marks.
 */
function sourceOrder(
  ranges: ReadonlyMap<Name, { readonly line: number; readonly column: number }>,
  marks: readonly SimpMark[],
): ReadonlyMap<Name, number> {
  if (ranges.size === 0) return new Map([...new Set(marks.map(({ name }) => name))].map((name, at) => [name, at]));
  const inOrder = [...ranges].sort(([, a], [, b]) => a.line - b.line || a.column - b.column);
  return new Map(inOrder.map(([name], at) => [name, at]));
}
