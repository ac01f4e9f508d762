/**
 * `lake comparator`: Lean's judge compares the proved theorems with a challenge, the same file with `sorry` for every proof:
 * same statements over the same definitions, allowed axioms only, and Lean's kernel over the export. Both exports are
 * made by us, so Lake builds and resolves nothing. In our sandbox its own cannot be put up and is switched off.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STANDARD_AXIOMS } from '../verdict/axioms.ts';
import type { Checker, CheckerAnswer, CompiledFile } from './checker.ts';
import { exportTheorems } from './export.ts';
import { EXPORTER, findTool, LAKE } from './find-tools.ts';
import { answerOf, programVersion, runTool } from './run-tool.ts';

/** Lake's own words: 1 is a judgement, 2 that it could not start. */
const REFUSES = [1];
const DECLINES = [2];
const HELP_TIMEOUT_MS = 30_000;
const CHALLENGE_MODULE = 'StpChallenge';
const HELP_MEMORY_BYTES_MAX = 4_294_967_296;

/** A project that Lake can open and in which there is nothing to build. */
const PROJECT = {
  'lakefile.toml': 'name = "certificate"\n',
  'lake-manifest.json':
    '{"version": "1.1.0", "packagesDir": ".lake/packages", "packages": [], "name": "certificate"}\n',
};

/** `challenge`: the text of the file with `sorry` in place of each proof that is certified. */
export function comparator(challenge: string): Checker {
  return {
    name: 'lake comparator',
    async version(place) {
      const [lake, exporter] = [await findTool(LAKE, place), await findTool(EXPORTER, place)];
      if (lake === null || exporter === null) return null;
      const help = await runTool(
        { place, memoryBytesMax: HELP_MEMORY_BYTES_MAX },
        { command: [lake, 'help', 'comparator'], workingDirectory: place.workingDirectory, timeoutMs: HELP_TIMEOUT_MS },
      );
      return help.output.includes('--solution-from-export') ? programVersion(lake) : null;
    },
    async check(file) {
      const lake = await findTool(LAKE, file.place);
      if (lake === null) return { outcome: 'failed', detail: 'it is gone' };
      const proofs = await exportTheorems(file, file.module, 'proofs');
      if (proofs.problem !== undefined) return proofs.problem;
      const statements = await compileChallenge(file, challenge);
      if (statements.problem !== undefined) return statements.problem;
      return compare(lake, file, statements.path, proofs.path);
    },
  };
}

async function compileChallenge(file: CompiledFile, challenge: string) {
  const { scratchDirectory, place } = file;
  const source = join(scratchDirectory, `${CHALLENGE_MODULE}.lean`);
  await writeFile(source, challenge);
  const compiled = await runTool(file, {
    command: [place.environment.executable, '-o', join(scratchDirectory, `${CHALLENGE_MODULE}.olean`), source],
    writable: [scratchDirectory],
    workingDirectory: scratchDirectory,
  });
  const answer = answerOf(compiled, { refuses: [] });
  if (answer.outcome !== 'accepted')
    return { problem: { outcome: 'failed', detail: `challenge: ${answer.detail}` } satisfies CheckerAnswer };
  const environment = { ...place.environment, searchPath: [scratchDirectory, ...place.environment.searchPath] };
  return exportTheorems({ ...file, place: { ...place, environment } }, CHALLENGE_MODULE, 'challenge');
}

async function compare(lake: string, file: CompiledFile, challenge: string, solution: string): Promise<CheckerAnswer> {
  const { scratchDirectory } = file;
  const configuration = {
    challenge_module: CHALLENGE_MODULE,
    solution_module: file.module,
    theorem_names: file.theorems,
    permitted_axioms: [...STANDARD_AXIOMS],
  };
  const files = { ...PROJECT, 'comparator.json': JSON.stringify(configuration) };
  for (const [name, text] of Object.entries(files)) await writeFile(join(scratchDirectory, name), text);
  const isWalled = file.place.sandbox !== undefined && file.place.sandbox.facts.kind !== 'none';
  const exit = await runTool(file, {
    command: [
      lake,
      'comparator',
      ...['--config', join(scratchDirectory, 'comparator.json')],
      ...['--challenge-from-export', challenge],
      ...['--solution-from-export', solution],
      ...(isWalled ? ['--inadvisably-no-sandbox'] : []),
    ],
    writable: [scratchDirectory],
    workingDirectory: scratchDirectory,
  });
  return answerOf(exit, { refuses: REFUSES, declines: DECLINES });
}
