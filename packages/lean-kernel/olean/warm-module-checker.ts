/**
 * Checks compiled modules one after another. Constants of imports that were read once stay in memory for the next
 * module with the same imports. A set of imports is dropped when its files have changed or when it has become large.
 */
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { DEFAULT_LIMITS } from '../budget.ts';
import { Terms } from '../expr.ts';
import { Kernel } from '../kernel.ts';
import { Decline } from '../verdict.ts';
import { checkModule } from './check-module.ts';
import { explained, readModule } from './compiled-file.ts';
import { ConstantIndex } from './constant-index.ts';
import { CompiledLibrary } from './library.ts';
import { moduleName } from './module-finder.ts';
import { type AskedTheorem, declinedReport, type ModuleReport } from './report.ts';

export interface ModuleRequest {
  /** Path of the compiled module, `.olean`. */
  readonly path: string;
  /** Folders that contain its imports. The module's own folder is not among them, because its files are not trusted. */
  readonly searchPath: readonly string[];
  readonly fuel: number;
  /** Folder for indexes of constants; null for none. */
  readonly indexFolder?: string | null;
  /**
   * Folder of the toolchain's own modules, at which the search for axioms ends. Missing: the search follows everything.
   */
  readonly toolchainFolder?: string | null;
  /**
   * Folder of imported modules whose declarations are reported like those of the statement's own module; null for none.
   */
  readonly neighboursFolder?: string | null;
  /**
   * Modules whose names are reserved even if the checked module does not import them (`prelude`): only theorems may be
   * declared under such a name, and a name that reads like one is reported. Null or missing: none.
   */
  readonly takenModules?: readonly string[] | null;
  /** Theorems that the module must contain. `statedPath` is the module of their statements, compiled without it. */
  readonly asked?: readonly AskedTheorem[];
  readonly statedPath?: string;
}

/** Maximum number of import sets in memory. */
const WARM_MAX = 3;
/** Number of expressions after which an import set is rebuilt; each takes about 40 bytes. */
const NODES_MAX = 8_000_000;

interface Warm {
  readonly terms: Terms;
  readonly library: CompiledLibrary;
  /** Reserved names that nothing imports. */
  readonly taken: ConstantIndex | null;
  readonly kernel: Kernel;
}

export class WarmModuleChecker {
  /** Least recently used first. */
  readonly #warm = new Map<string, Warm>();

  /**
   * Checks a module on the calling thread; `check-module-in-thread.ts` provides a stack for deep terms. Throws `InputError`.
   */
  check(request: ModuleRequest): ModuleReport {
    try {
      return this.#check(request);
    } catch (error) {
      // A damaged module may have left half-read data.
      this.#warm.clear();
      if (!(error instanceof Decline)) throw error;
      return declinedReport(error.message);
    }
  }

  #check(request: ModuleRequest): ModuleReport {
    const { asked = [], statedPath, toolchainFolder = null, neighboursFolder = null } = request;
    const imports = explained(request.path, () => {
      const terms = new Terms();
      return [...new Set(readModule(request.path, terms).imports.map((name) => moduleName(terms.names, name)))];
    });
    const { terms, library, taken, kernel } = this.#open(imports, request);
    const module = readModule(request.path, terms);
    const stated = statedPath === undefined ? null : { path: statedPath, module: readModule(statedPath, terms) };
    const report = checkModule(terms, kernel, library, module, {
      path: request.path,
      toolchainFolder,
      neighboursFolder,
      taken,
      asked,
      stated,
    });
    if (kernel.isTainted) this.#warm.clear();
    return report;
  }

  #open(imports: readonly string[], request: ModuleRequest): Warm {
    const { searchPath, fuel, toolchainFolder = null, takenModules } = request;
    const key = JSON.stringify([imports, searchPath, fuel, toolchainFolder, takenModules]);
    const known = this.#warm.get(key);
    this.#warm.delete(key);
    const isFit =
      known !== undefined && known.terms.nodes.count < NODES_MAX && isUnchanged(known.library, toolchainFolder);
    const warm = isFit ? known : open(imports, request);
    this.#warm.set(key, warm);
    for (const oldest of this.#warm.keys()) {
      if (this.#warm.size <= WARM_MAX) break;
      this.#warm.delete(oldest);
    }
    return warm;
  }
}

/**
 * Whether the imports' files are unchanged. The toolchain's never change; modules of a project or a run may be
 * recompiled.
 */
function isUnchanged(library: CompiledLibrary, toolchainFolder: string | null): boolean {
  return library.modules.every(({ path, bytes, modifiedMs }) => {
    if (toolchainFolder !== null && path.startsWith(toolchainFolder + sep)) return true;
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.size === bytes && facts.mtimeMs === modifiedMs;
  });
}

function open(imports: readonly string[], request: ModuleRequest): Warm {
  const { searchPath, fuel, indexFolder = null, takenModules } = request;
  const terms = new Terms();
  const library = new CompiledLibrary(terms, imports, searchPath, indexFolder);
  const known = new Set(library.modules.map(({ name }) => name));
  const beyond = (takenModules ?? []).filter((name) => !known.has(name));
  return {
    terms,
    library,
    taken: beyond.length === 0 ? null : ConstantIndex.open(terms.names, beyond, searchPath, indexFolder),
    kernel: new Kernel(terms, { limits: { ...DEFAULT_LIMITS, fuel }, trusted: library }),
  };
}
