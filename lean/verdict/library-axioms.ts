/**
 * Which names does the toolchain's own library hold? Asked only where its proofs are not in the package, so that
 * `#print axioms` lists its theorems. The answer comes from a Lean process that loads the toolchain's modules and nothing
 * else: no module of ours, no text of a candidate. A name that is there cannot be declared again by whoever imports the
 * same modules, so an axiom of that name is the library's statement and nobody else's.
 */
import { type AskOptions, printAxioms } from './print-axioms.ts';

export interface LibraryAxioms {
  /**
   * The names among `names` that the library does not hold, given the header they were found under. One process at a time
   * asks, with all questions that came up meanwhile. Rejects where Lean could not be asked.
   */
  foreign(header: string, names: readonly string[]): Promise<string[]>;
}

/** What is known under one list of imports, and what is being asked. */
interface Imports {
  readonly lines: readonly string[];
  readonly known: Map<string, boolean>;
  next: { names: Set<string>; answered: Promise<void> } | null;
}

/** Imports of modules that come with every Lean. */
const TOOLCHAIN_IMPORT = /^\s*import\s+((?:Init|Std|Lean)(?:\.[A-Za-z0-9_.]+)?)\s*$/gm;

export function openLibraryAxioms(options: AskOptions): LibraryAxioms {
  const all = new Map<string, Imports>();
  const askOptions: AskOptions = { ...options, environment: { ...options.environment, searchPath: [] } };
  let asking: Promise<unknown> = Promise.resolve();

  function importsOf(header: string): Imports {
    const lines = [...new Set([...header.matchAll(TOOLCHAIN_IMPORT)].map((match) => `import ${match[1]}`))].sort();
    const imports = all.get(lines.join()) ?? { lines, known: new Map(), next: null };
    all.set(lines.join(), imports);
    return imports;
  }

  function enqueue(imports: Imports, names: readonly string[]): Promise<void> {
    if (imports.next === null) {
      const next = { names: new Set<string>(), answered: Promise.resolve() };
      next.answered = asking.then(async () => {
        if (imports.next === next) imports.next = null;
        const unknown = [...next.names].filter((name) => !imports.known.has(name)).sort();
        if (unknown.length === 0) return;
        const found = await printAxioms(imports.lines, unknown, askOptions);
        for (const name of unknown) imports.known.set(name, found.has(name));
      });
      asking = next.answered.catch(() => {});
      imports.next = next;
    }
    for (const name of names) imports.next.names.add(name);
    return imports.next.answered;
  }

  return {
    async foreign(header, names) {
      const imports = importsOf(header);
      const unknown = names.filter((name) => !imports.known.has(name));
      if (unknown.length > 0) await enqueue(imports, unknown);
      return names.filter((name) => imports.known.get(name) !== true);
    },
  };
}
