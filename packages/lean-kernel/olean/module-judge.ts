/**
 * Checks compiled modules one after the other. Their imports stay warm: constants that were read once are available to
 * the next module over the same imports. A set of imports is dropped when its files have changed or when it has become
 * large.
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
  /** The compiled module, `.olean`. */
  readonly path: string;
  /** Folders with the modules it imports. The module's own folder is not among them: what lies there is not vouched for. */
  readonly searchPath: readonly string[];
  readonly fuel: number;
  /** Where indexes of constants are kept; null keeps none. */
  readonly indexFolder?: string | null;
  /** Folder of the toolchain's own modules, where axioms are not followed further; without one all are followed. */
  readonly toolchainFolder?: string | null;
  /** Folder of imported modules whose declarations are told as what a statement rests on; null: there is none. */
  readonly neighboursFolder?: string | null;
  /**
   * Modules whose names are taken also where nothing below the judged module imports them (`prelude`): only theorems may be
   * declared under such a name, and what reads like one is told. Null or missing: none.
   */
  readonly takenModules?: readonly string[] | null;
  /** Theorems that the module is to hold, and the module of their statements, compiled without it. */
  readonly asked?: readonly AskedTheorem[];
  readonly statedPath?: string;
}

/** Sets of imports that are kept warm. */
const WARM_MAX = 3;
/** Expressions of one of them, some 40 bytes each, after which it is made anew. */
const NODES_MAX = 8_000_000;

interface Warm {
  readonly terms: Terms;
  readonly library: CompiledLibrary;
  /** Names that are taken although nothing imports them. */
  readonly taken: ConstantIndex | null;
  readonly kernel: Kernel;
}

export class ModuleJudge {
  /** The latest used last. */
  readonly #warm = new Map<string, Warm>();

  /** Checks a module on the thread that calls it; `judge-in-thread.ts` gives it a stack for deep terms. Throws `InputError`. */
  check(request: ModuleRequest): ModuleReport {
    try {
      return this.#check(request);
    } catch (error) {
      // What is damaged or cut may have left something half read.
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

/** The toolchain does not change during its use; a project's and a run's modules may be compiled anew. */
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
