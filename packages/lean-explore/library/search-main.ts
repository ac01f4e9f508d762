/**
 * Tries the scripts of `search.ts` on every library theorem and writes `data/sft/search.jsonl`. Run it after changes of
 * the library or the list of scripts:
 *
 *     node packages/lean-explore/library/search-main.ts [--limit N] [--output FILE] [--only FAMILY]
 *
 * With `--only`, it tries only scripts of families whose names begin with FAMILY and keeps the other rows of the file,
 * which suffices if the list has only grown.
 *
 * It needs an installed Lean (`bin/stp setup`), two cores and some minutes. The result depends on Lean's step limit,
 * not on the machine's speed, except for scripts that reach the process deadline.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LibraryTheorem } from '@stp/config/records';
import { compileLibrary, discoverModules, type LeanEnvironment, resolveToolchain } from '@stp/lean-verifier';
import { Definitions } from './definitions.ts';
import { extractLibrary } from './extract.ts';
import { boundNames } from './search/theorem-signature.ts';
import { acceptedScripts, type ScriptAttempt } from './search/try-scripts.ts';
import { type SearchScript, searchScripts } from './search.ts';

/** Maximum rows per theorem, so that easy theorems do not fill the set. */
const ROWS_PER_THEOREM_MAX = 10;
const PROCESSES = 2;
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const ROWS_FILE = path.join(REPOSITORY, 'data/sft/search.jsonl');

const { values } = parseArgs({
  options: {
    limit: { type: 'string' },
    output: { type: 'string', default: ROWS_FILE },
    only: { type: 'string', default: '' },
  },
});

const cacheDirectory = path.join(REPOSITORY, '.cache');
const library = path.join(REPOSITORY, 'data/library');
const environment: LeanEnvironment = await compileLibrary({
  toolchain: await resolveToolchain({ cacheDirectory, install: 'never' }),
  sourceDirectories: [{ directory: library, modulePrefix: 'Stp' }],
  cacheDirectory,
});
// A theorem that holds by `rfl` has its best proof; other scripts that close it teach nothing.
const theorems = (await extractLibrary(library)).theorems.filter(({ proof }) => proof.trim() !== 'rfl');
const chosen = theorems.slice(0, values.limit === undefined ? theorems.length : Number(values.limit));
const modules = await discoverModules([{ directory: library, modulePrefix: 'Stp' }]);
const definitions = new Definitions(modules.map(({ source }) => source));
const listed: ScriptAttempt[] = chosen.flatMap((theorem) =>
  searchScripts(theorem.statement, functionsOf(theorem)).map((script) => ({ theorem, script })),
);
const isTried = ({ script }: ScriptAttempt): boolean => script.family.startsWith(values.only);
const attempts = listed.filter(isTried);
console.error(`${chosen.length} theorems, ${attempts.length} scripts, ${environment.version}`);
const known = values.only === '' ? new Set<string>() : await knownRows();
const accepted = await acceptedScripts(environment, attempts, PROCESSES, (done) => {
  console.error(`${done} of ${attempts.length} scripts tried`);
});

const isAccepted = new Set(accepted);
const all = listed.filter((each) =>
  isTried(each) ? isAccepted.has(each) : known.has(rowKey(each.theorem.name, each.script.proof)),
);
const byTheorem = Map.groupBy(all, ({ theorem }) => theorem.name);
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

async function knownRows(): Promise<Set<string>> {
  const lines = (await readFile(ROWS_FILE, 'utf8')).trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { theorem: string; proof: string });
  return new Set(rows.map(({ theorem, proof }) => rowKey(theorem, proof)));
}

function rowKey(theorem: string, proof: string): string {
  return `${theorem}\n${proof}`;
}

/** Returns the functions on which a theorem depends, as its prompts list them. */
function functionsOf({ header, statement }: LibraryTheorem): string[] {
  const all = definitions.under(header, statement, boundNames(statement));
  return all.filter(({ kind }) => kind === 'function').map(({ written }) => written);
}

/** Returns one script per family, shortest first; scripts of equal length keep the order of the list. */
function keptScripts(own: string, accepted: readonly SearchScript[]): readonly SearchScript[] {
  const families = Map.groupBy(accepted, ({ family }) => family);
  return [...families.values()]
    .map(([first]) => first!)
    .filter(({ proof }) => proof !== own)
    .sort((first, second) => first.proof.length - second.proof.length)
    .slice(0, ROWS_PER_THEOREM_MAX);
}
