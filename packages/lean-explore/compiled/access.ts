/**
 * What the proof of a compiled theorem had access to, read from the proof's object: no proof may reach the theorem itself, by
 * whatever name, or what comes after it. The text of the proof and its header have no say.
 */
import {
  CompiledLibrary,
  Decline,
  displayName,
  InputError,
  moduleName,
  type Name,
  readModule,
  Terms,
  TypeKeys,
} from '@stp/lean-kernel';
import type { AssumptionModule } from './assumptions.ts';
import { ModuleGraph } from './module-graph.ts';

export interface AccessTask {
  /** The compiled proof. */
  readonly path: string;
  /** Folders of all modules that it may import: the toolchain's, the project's, and those of assumptions. */
  readonly searchPath: readonly string[];
  /** Who proves it: the theorem's name in the library, with dots, its module, and the name of the proof's theorem in the object. */
  readonly theorem: { readonly name: string; readonly module: string; readonly provedAs: string };
  /** Of the whole set. */
  readonly assumptions: readonly Pick<AssumptionModule, 'module' | 'of' | 'theorems'>[];
  readonly indexFolder: string | null;
}

export interface Access {
  /** Why the proof may not count; null where nothing speaks against it. */
  readonly objection: string | null;
  /** Assumptions that the object mentions, sorted. */
  readonly restsOn: readonly string[];
}

/** An object that cannot be read is objected to. */
export function proofAccess(task: AccessTask): Access {
  try {
    return new AccessCheck(task).run();
  } catch (error) {
    if (!(error instanceof InputError) && !(error instanceof Decline)) throw error;
    return { objection: `its object cannot be read: ${error.message}`, restsOn: [] };
  }
}

class AccessCheck {
  readonly #task: AccessTask;
  readonly #terms = new Terms();

  constructor(task: AccessTask) {
    this.#task = task;
  }

  run(): Access {
    const { path, searchPath, theorem, assumptions, indexFolder } = this.#task;
    const terms = this.#terms;
    const module = readModule(path, terms);
    const imports = [...new Set(module.imports.map((name) => moduleName(terms.names, name)))];
    const graph = ModuleGraph.read(imports, searchPath);
    if (graph.unreadable.length > 0) return refused(`it imports ${graph.unreadable[0]!.name}, which cannot be read`);
    if (graph.get(theorem.module) !== undefined)
      return refused(`it loads ${theorem.module}, which has the theorem itself and what comes after it`);
    const later = this.#laterPart(graph);
    if (later !== null) return refused(`it loads ${later}, which states what does not come before the theorem`);
    const library = new CompiledLibrary(terms, imports, searchPath, indexFolder);
    const places = new Map(module.names.map((name, place) => [name, place]));
    const place = places.get(terms.names.of(theorem.provedAs));
    if (place === undefined) return refused(`it holds no theorem ${theorem.provedAs}`);
    const keys = new TypeKeys(terms);
    const key = keys.of(module.constant(place, false));
    const stated = new Set(assumptions.flatMap(({ module: by, theorems }) => (by === null ? [] : theorems)));
    const restsOn = new Set<string>();
    for (const name of this.#mentioned(module, places, place)) {
      const constant = library.constant(name);
      if (constant === null)
        return refused(`it mentions ${terms.names.print(name)}, which nothing that it imports has`);
      const shown = displayName(terms.names, name);
      if (shown === theorem.name) return refused('it mentions the theorem itself');
      if ((constant.kind === 'theorem' || constant.kind === 'axiom') && keys.of(constant) === key)
        return refused(`it mentions ${shown}, which states the same`);
      if (constant.kind === 'axiom' && stated.has(shown)) restsOn.add(shown);
    }
    return { objection: null, restsOn: [...restsOn].sort() };
  }

  /** A loaded module of assumptions that states the theorem or what comes after it; null where none does. */
  #laterPart(graph: ModuleGraph): string | null {
    const { theorem, assumptions } = this.#task;
    const parts = assumptions.filter(({ of }) => of === theorem.module);
    const own = parts.findIndex(({ theorems }) => theorems.includes(theorem.name));
    // What has no place in the order has nothing before it.
    const isLater = (at: number): boolean => own < 0 || at >= own;
    const loaded = parts.find(({ module }, at) => module !== null && isLater(at) && graph.get(module) !== undefined);
    return loaded?.module ?? null;
  }

  /** Constants of other modules that the theorem mentions, itself or through others of its module. */
  #mentioned(
    module: ReturnType<typeof readModule>,
    places: ReadonlyMap<Name, number>,
    from: number,
  ): ReadonlySet<Name> {
    const found = new Set<Name>();
    const seen = new Set([from]);
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const name of module.mentioned(at)) {
        const own = places.get(name);
        if (own === undefined) found.add(name);
        else if (!seen.has(own)) {
          seen.add(own);
          waiting.push(own);
        }
      }
    return found;
  }
}

const refused = (objection: string): Access => ({ objection, restsOn: [] });
