/**
 * Reads the theorems of compiled modules one module after the other. The tables of terms are made anew when they have
 * grown, so memory does not grow with the library.
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

/** Expressions after which the tables are made anew; some 60 bytes each with what is remembered of them. */
const NODES_MAX = 3_000_000;

/** Why a theorem of a module is not stated again. */
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
  /** With dots, odd parts in «». */
  readonly shown: string;
  /** Among the constants of its module. */
  readonly place: number;
  /** Two theorems of one statement have one key. */
  readonly key: string;
  /** Where it stands among the module's theorems; null where the object does not tell. */
  readonly order: number | null;
  /** Constants that its proof mentions and its statement does not; null where there is no proof, or they are not asked for. */
  readonly premises: readonly string[] | null;
}

export interface ReadModule {
  readonly module: CompiledModule;
  readonly terms: Terms;
  readonly theorems: readonly FoundTheorem[];
  /** Names of theorems that are not restated and that proofs elsewhere may use, with dots. */
  readonly others: readonly string[];
  /** The statements that are not restated, by reason. */
  readonly leftOut: Readonly<Partial<Record<LeftOut, number>>>;
  /** Keys of all its theorems, also of those that are left out, with their names. */
  readonly keys: ReadonlyMap<string, string>;
}

export interface ReaderOptions {
  /** Names of all modules that may be read or mentioned. */
  readonly modules: readonly string[];
  readonly searchPath: readonly string[];
  /** Keeps which module holds which constant; null keeps nothing. */
  readonly indexFolder: string | null;
  /** Is the theorem of this name asked for? */
  readonly isAsked: (shown: string) => boolean;
  /** Are the constants that proofs mention told? */
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

  /** Throws `InputError` for a module that is damaged, and `Decline`. */
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
    const places = new Map(module.names.map((name, place) => [name, place]));
    const theorems: FoundTheorem[] = [];
    const others: string[] = [];
    for (const [place, name] of module.names.entries()) {
      const key = this.#statementKey(place);
      if (key === null) continue;
      const shown = displayName(terms.names, name);
      const kind = kindOfName(terms, name, ranges.size > 0 ? ranges.has(name) : null);
      if (kind === null) this.#keys.set(key, shown);
      const inType = mentionsInOrder(terms, [module.constant(place, false).type]);
      const isOwn = (its: Name): boolean => places.has(its) && !isPartOfStatement(terms, its);
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
          place,
          key,
          order: orderOf.get(name) ?? null,
          premises: withPremises && !module.isAxiom(place) ? this.#premises(place, inType) : null,
        });
    }
    theorems.sort((a, b) => (a.order ?? -1) - (b.order ?? -1) || (a.shown < b.shown ? -1 : 1));
    return { module, terms, theorems, others, leftOut: this.#left, keys: this.#keys };
  }

  #premises(place: number, inType: readonly Name[]): string[] {
    const { terms } = this.#tables;
    const stated = new Set(inType);
    return [...this.#module.mentioned(place)]
      .filter((its) => !stated.has(its) && kindOfName(terms, its, null) === null)
      .map((its) => displayName(terms.names, its));
  }

  #leave(reason: LeftOut): void {
    this.#left[reason] = (this.#left[reason] ?? 0) + 1;
  }

  /** Null for what states nothing: a definition, or a function whose body is not in the package. */
  #statementKey(place: number): string | null {
    const { kernel, keys } = this.#tables;
    const constant = this.#module.constant(place, false);
    if (constant.kind === 'theorem') return keys.of(constant);
    if (constant.kind !== 'axiom' || constant.isUnsafe) return null;
    return kernel.ask((checker) => checker.inference.isProposition(constant.type)) === true ? keys.of(constant) : null;
  }
}

/** Why nobody wrote the name; null for a name that a person wrote, as far as can be told. */
function kindOfName({ names }: Terms, name: Name, isWritten: boolean | null): LeftOut | null {
  const parts = names.parts(name);
  if (parts[0] === '_private') return 'private';
  const isGenerated =
    isWritten === false ||
    parts.some((part) => typeof part === 'bigint' || part.startsWith('_') || part === '_@') ||
    // `instDecidableEqNat`: instances without a name of their own.
    /^inst[A-Z]/u.test(String(parts.at(-1))) ||
    isDerivedPart(String(parts.at(-1)));
  return isGenerated ? 'generated' : null;
}

/** A `match` in a statement is a constant of its module; Lean makes it again where the statement is elaborated again. */
const isPartOfStatement = ({ names }: Terms, name: Name): boolean => /^match_\d/.test(String(names.last(name)));

/** Where the object tells it: places in the source or, without these, in the list of marks for `simp`. */
function sourceOrder(
  ranges: ReadonlyMap<Name, { readonly line: number; readonly column: number }>,
  marks: readonly SimpMark[],
): ReadonlyMap<Name, number> {
  if (ranges.size === 0) return new Map([...new Set(marks.map(({ name }) => name))].map((name, at) => [name, at]));
  const placed = [...ranges].sort(([, a], [, b]) => a.line - b.line || a.column - b.column);
  return new Map(placed.map(([name], at) => [name, at]));
}
