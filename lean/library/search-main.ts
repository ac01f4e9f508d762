/**
 * Tries the scripts of `search.ts` on every library theorem and writes `data/sft/search.jsonl`. Run it when the library
 * or the list of scripts has changed:
 *
 *     node lean/library/search-main.ts [--limit N] [--output FILE]
 *
 * It needs a Lean that is already there (`bin/stp setup`), two cores and some minutes. The result depends on Lean's own
 * step limit, not on the machine's speed; only a script that runs into the process deadline does.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { resolveToolchain } from '../toolchain/resolve.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { compileLibrary } from './compile.ts';
import { extractLibrary } from './extract.ts';
import { acceptedScripts, type ScriptAttempt } from './search/try-scripts.ts';
import { type SearchScript, searchScripts } from './search.ts';

/** Rows kept for one theorem: variety, without letting easy theorems fill the set. */
const ROWS_PER_THEOREM_MAX = 6;
const PROCESSES = 2;
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

const { values } = parseArgs({
  options: {
    limit: { type: 'string' },
    output: { type: 'string', default: path.join(REPOSITORY, 'data/sft/search.jsonl') },
  },
});

const cacheDirectory = path.join(REPOSITORY, '.cache');
const library = path.join(REPOSITORY, 'data/library');
const environment: LeanEnvironment = await compileLibrary({
  toolchain: await resolveToolchain({ cacheDirectory, install: 'never' }),
  sourceDirectories: [{ directory: library, modulePrefix: 'Stp' }],
  cacheDirectory,
});
// A theorem that holds by evaluation has its proof; what else closes it says nothing about it.
const theorems = (await extractLibrary(library)).theorems.filter(({ proof }) => proof.trim() !== 'rfl');
const chosen = theorems.slice(0, values.limit === undefined ? theorems.length : Number(values.limit));
const attempts: ScriptAttempt[] = chosen.flatMap((theorem) =>
  searchScripts(theorem.statement).map((script) => ({ theorem, script })),
);
console.error(`${chosen.length} theorems, ${attempts.length} scripts, ${environment.version}`);
const accepted = await acceptedScripts(environment, attempts, PROCESSES, (done) => {
  console.error(`${done} of ${attempts.length} scripts tried`);
});

const byTheorem = Map.groupBy(accepted, ({ theorem }) => theorem.name);
const rows = chosen.flatMap((theorem) => {
  const scripts = (byTheorem.get(theorem.name) ?? []).map(({ script }) => script);
  return keptScripts(theorem.proof, scripts).map(({ script, proof }) => ({ theorem: theorem.name, proof, script }));
});
await mkdir(path.dirname(values.output), { recursive: true });
await writeFile(`${values.output}.partial`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
await rename(`${values.output}.partial`, values.output);
console.error(
  `${rows.length} rows for ${new Set(rows.map(({ theorem }) => theorem)).size} theorems in ${values.output}`,
);

/** One of each family, shortest first; equal lengths in the order of the list. */
function keptScripts(own: string, accepted: readonly SearchScript[]): readonly SearchScript[] {
  const families = Map.groupBy(accepted, ({ family }) => family);
  return [...families.values()]
    .map(([first]) => first!)
    .filter(({ proof }) => proof !== own)
    .sort((first, second) => first.proof.length - second.proof.length)
    .slice(0, ROWS_PER_THEOREM_MAX);
}
