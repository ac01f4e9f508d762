/**
 * The imports of a compiled module as the trusted environment of a check. An index gives the module of a constant. A
 * constant is read when the kernel asks for it, and the proof of a theorem when it is unfolded. Only the most recently
 * used files stay in memory.
 */
import type { Declaration } from '../declaration.ts';
import type { Expr, Terms } from '../expr.ts';
import type { TrustedSource } from '../kernel.ts';
import type { Name } from '../name.ts';
import { explained, readModule } from './compiled-file.ts';
import { ConstantIndex, type ConstantLocation, type IndexedModule } from './constant-index.ts';
import { declarationOf } from './declarations.ts';
import type { SourceRange } from './extension-entries.ts';
import { Damaged } from './heap.ts';
import type { CompiledBinder, CompiledConstant, CompiledModule } from './module-data.ts';

/** Maximum bytes of modules in memory. Lean's whole library has about 500 MB. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;

export interface WrittenDeclarations {
  /** Source ranges of the declarations. */
  readonly ranges: ReadonlyMap<Name, SourceRange>;
  /** Fields of structures, which have no source range of their own. */
  readonly projections: ReadonlySet<Name>;
}

export class CompiledLibrary implements TrustedSource {
  readonly #terms: Terms;
  readonly #index: ConstantIndex;
  /** Least recently used first. */
  readonly #kept = new Map<string, CompiledModule>();
  #keptBytes = 0;

  /**
   * Finds all modules below `imports` (names with dots) in the folders of `searchPath`, in order. `indexFolder` keeps
   * the index of their constants. Throws `InputError` for a missing or unreadable module, or `Decline`.
   */
  constructor(terms: Terms, imports: readonly string[], searchPath: readonly string[], indexFolder: string | null) {
    this.#terms = terms;
    this.#index = ConstantIndex.open(terms.names, imports, searchPath, indexFolder);
  }

  get modules(): readonly IndexedModule[] {
    return this.#index.modules;
  }

  has(name: Name): boolean {
    return this.#index.find(name) !== null;
  }

  /** Returns the module of the constant and its index there. */
  locate(name: Name): ConstantLocation | null {
    return this.#index.find(name);
  }

  read(name: Name): Declaration | null {
    const location = this.#index.find(name);
    if (location === null) return null;
    return explained(location.module.path, () =>
      declarationOf(this.#terms, this.#constantAt(name, location, false), (part) => this.constant(part)),
    );
  }

  proof(name: Name): Expr {
    const constant = this.#constantAt(name, this.#index.find(name)!, true);
    if (constant.kind !== 'theorem') throw new Damaged(`${this.#terms.names.print(name)} is no theorem`);
    return constant.value;
  }

  constant(name: Name): CompiledConstant | null {
    const location = this.#index.find(name);
    return location === null ? null : this.#constantAt(name, location, true);
  }

  /**
   * Returns the names of the constants that a constant's type and value mention, and of an inductive type's
   * constructors.
   */
  mentioned(name: Name): ReadonlySet<Name> {
    const { module, index } = this.#index.find(name)!;
    return explained(module.path, () => this.#open(module).mentioned(index));
  }

  /** Returns the binders at the head of the constant's type. */
  binders(name: Name): readonly CompiledBinder[] {
    const { module, index } = this.#index.find(name)!;
    return explained(module.path, () => this.#open(module).binders(index));
  }

  /** Returns the module's records of its hand-written declarations. */
  written(module: IndexedModule): WrittenDeclarations {
    return explained(module.path, () => {
      const compiled = this.#open(module);
      return { ranges: compiled.entries.sourceRanges(), projections: compiled.entries.projections() };
    });
  }

  isAxiom(name: Name): boolean {
    const { module, index } = this.#index.find(name)!;
    return explained(module.path, () => this.#open(module).isAxiom(index));
  }

  #constantAt(name: Name, { module, index }: ConstantLocation, withProof: boolean): CompiledConstant {
    // The result is kept, but terms made in scratch are not.
    if (this.#terms.nodes.isScratchOpen) throw new Error(`${this.#terms.names.print(name)} is read within a check`);
    return explained(module.path, () => {
      const constant = this.#open(module).constant(index, withProof);
      if (constant.name !== name) throw new Damaged(`${this.#terms.names.print(name)} is not where its index says`);
      return constant;
    });
  }

  #open({ path }: IndexedModule): CompiledModule {
    let module = this.#kept.get(path);
    if (module === undefined) {
      module = readModule(path, this.#terms);
      this.#keptBytes += module.byteLength;
    } else this.#kept.delete(path);
    this.#kept.set(path, module);
    for (const [oldest, its] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES_MAX || its === module) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= its.byteLength;
    }
    return module;
  }
}
