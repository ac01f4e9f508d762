/**
 * Explores the functions near each theorem of the library and writes `data/sft/equations.jsonl`, the first training
 * data of a conjecturer that writes under a grammar. Run it after changes of the library or the exploration:
 *
 *     node packages/lean-explore/explore/library-main.ts [--limit N]
 *
 * It needs an installed Lean (`bin/stp setup`) and takes about twenty minutes on one core.
 */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LibraryTheorem } from '@stp/config/records';
import {
  compileLibrary,
  discoverModules,
  LIBRARY_HEADER,
  MEMORY_BYTES_MAX,
  resolveToolchain,
} from '@stp/lean-verifier';
import { readStatements } from '../context/statement-contexts.ts';
import { extractLibrary } from '../library/extract.ts';
import { acceptedScripts } from '../library/search/try-scripts.ts';
import type { LibraryEquations } from './equations-file.ts';
import { exploreModule, unexplored } from './explore-statements.ts';

const PROCESSES = 2;
/** Number of statements between two lines of progress. */
const AT_ONCE = 20;
const SEED = 1;
/** Equations with trivial proofs, which are not used as examples. */
const TRIVIAL = {
  family: 'trivial',
  script: 'trivial',
  proof: '  intros\n  first\n    | rfl\n    | decide\n    | omega\n    | (simp <;> done)',
};
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const OUTPUT = path.join(REPOSITORY, 'data/sft/equations.jsonl');

const { values } = parseArgs({ options: { limit: { type: 'string' } } });
const cacheDirectory = path.join(REPOSITORY, '.cache');
const library = path.join(REPOSITORY, 'data/library');
const sources = [{ directory: library, modulePrefix: 'Stp' }];
const environment = await compileLibrary({
  toolchain: await resolveToolchain({ cacheDirectory, install: 'never' }),
  sourceDirectories: sources,
  cacheDirectory,
});
const all = (await extractLibrary(library)).theorems;
const theorems = all.slice(0, values.limit === undefined ? all.length : Number(values.limit));
console.error(`${theorems.length} theorems, ${environment.version}`);

const rows = await explored();
const kept = await withoutTrivial(rows);
const head = { leanVersion: environment.version, fingerprint: environment.fingerprint };
await writeFile(`${OUTPUT}.partial`, [head, ...kept].map((row) => `${JSON.stringify(row)}\n`).join(''));
await rename(`${OUTPUT}.partial`, OUTPUT);
console.error(`${kept.length} sets of functions, ${count(kept)} of ${count(rows)} equations are not trivial`);

function count(some: readonly LibraryEquations[]): number {
  return some.reduce((sum, { equations }) => sum + equations.length, 0);
}

/** Returns one row for each set of functions that has an equation. */
async function explored(): Promise<LibraryEquations[]> {
  const modules = await discoverModules(sources);
  const texts = new Map(modules.map(({ name, source }) => [name, source]));
  const scratchDirectory = await mkdtemp(path.join(tmpdir(), 'stp-explore-'));
  const task = {
    processContext: { environment, workingDirectory: scratchDirectory },
    libraryHeader: LIBRARY_HEADER,
    scratchDirectory,
    memoryBytesMax: MEMORY_BYTES_MAX,
    indexFolder: null,
    source: (module: string) => texts.get(module) ?? null,
  };
  const bySignature = new Map<string, LibraryEquations>();
  for (let from = 0; from < theorems.length; from += AT_ONCE) {
    const some = theorems.slice(from, from + AT_ONCE);
    const found = await readStatements(some, task, {
      read: (stated, module) => exploreModule(stated, { ...module, seed: SEED }),
      unread: unexplored,
    });
    for (const [index, { name }] of some.entries()) {
      const { signature, equations } = found[index]!;
      const written = equations.flatMap(({ text, words }) => (words === null ? [] : [{ text, words }]));
      if (written.length === 0) continue;
      const key = JSON.stringify([signature, written[0]!.text]);
      const row = bySignature.get(key);
      if (row === undefined) bySignature.set(key, { theorems: [name], signature, equations: written });
      else row.theorems.push(name);
    }
    console.error(`${from + some.length} of ${theorems.length} theorems, ${bySignature.size} sets of functions`);
  }
  await rm(scratchDirectory, { recursive: true, force: true });
  return [...bySignature.values()];
}

async function withoutTrivial(some: readonly LibraryEquations[]): Promise<LibraryEquations[]> {
  const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const attempts = some.flatMap((row) =>
    row.equations.map((equation) => {
      const near = byName.get(row.theorems[0]!)!;
      const theorem: LibraryTheorem = { ...near, statement: `theorem explored ${equation.text}` };
      return { theorem, script: TRIVIAL, equation };
    }),
  );
  const headers = Map.groupBy(attempts, ({ theorem }) => theorem.header);
  const trivial = new Set<object>();
  for (const group of headers.values()) {
    const accepted = new Set<object>(await acceptedScripts(environment, group, PROCESSES, () => {}));
    for (const attempt of group) if (accepted.has(attempt)) trivial.add(attempt.equation);
  }
  return some.flatMap((row) => {
    const equations = row.equations.filter((equation) => !trivial.has(equation));
    return equations.length === 0 ? [] : [{ ...row, equations }];
  });
}
