/**
 * The `Sources` port: problem sets and SFT sets of the data folder, and the repository's own problem sets, library,
 * searched proofs and canaries.
 */
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StpError } from '@stp/base';
import { fileMark } from '@stp/base/files';
import { suggestion } from '@stp/config';
import { PROOF_CHARS_MAX, triedConjectureSchema } from '@stp/config/records';
import { CORPUS_FILE, openSftSet, readSetOrigin, readStatements, requireSameLean } from '@stp/datasets';
import {
  type CorpusFile,
  Definitions,
  extractLibrary,
  type LeanSource,
  readCorpus,
  readEquations,
  readRecord,
  readTraced,
} from '@stp/lean-explore';
import { discoverModules, type LeanEnvironment } from '@stp/lean-verifier';
import { ActionRanker } from '@stp/selfplay';
import { z } from 'zod';
import type { Sources } from '../activities/ports.ts';
import { DATA, workerSettings } from './settings.ts';
import { SOURCE_DIRECTORIES } from './source-directories.ts';

export const PORTFOLIO_RECORD = join(DATA, 'portfolio.jsonl');

const searchedRowSchema = z.object({ theorem: z.string().max(256), proof: z.string().max(PROOF_CHARS_MAX) });

/**
 * @param dataDirectory folder of prepared sets; default `STP_DATA`
 * @param lean the Lean in use; a set made with another one is refused (STP1201)
 */
export function repositorySources(
  dataDirectory: string = workerSettings().dataDirectory,
  lean: Pick<LeanEnvironment, 'version' | 'project'> | null = null,
): Sources {
  const library = join(DATA, 'library');
  const problemFolder = (name: string): string =>
    findSet('problem set', name, [join(dataDirectory, 'problems'), join(DATA, 'problems')]);
  return {
    async premises(name) {
      const path = join(problemFolder(name), CORPUS_FILE);
      if (!existsSync(path))
        throw new StpError(
          'STP1002',
          `the problem set ${name} has no premises (prover.premisesFrom)`,
          'Only sets of `bin/stp data prepare --from lean` and `--from project` have them; make it again with --replace.',
        );
      return corpus(path);
    },
    async *problemSet(name) {
      const folder = problemFolder(name);
      const origin = lean === null ? null : await readSetOrigin(folder);
      if (origin !== null) {
        requireSameLean(name, origin, lean!);
      }
      yield* readStatements(join(folder, 'statements.jsonl'));
    },
    sftSet: async (name) => openSftSet(findSet('SFT set', name, [join(dataDirectory, 'SFT')])),
    libraryTheorems: async () => (await extractLibrary(library)).theorems,
    searchedProofs: () =>
      rowsOf(
        'search.jsonl',
        searchedRowSchema,
        'a searched proof',
        'node packages/lean-explore/library/search-main.ts',
      ),
    triedConjectures: () =>
      rowsOf('conjectures.jsonl', triedConjectureSchema, 'a tried conjecture', 'see data/sft/README.md'),
    async ranker(name) {
      const path = findNamed(
        'ranker of actions',
        name,
        [join(dataDirectory, 'rankers'), join(DATA, 'rankers')],
        RANKER,
      );
      return rankerWeights(path, await readFile(path));
    },
    tracedProofs: async () => (await readTraced(join(DATA, 'sft', 'steps.jsonl')))?.rows ?? [],
    exploredEquations: () => readEquations(join(DATA, 'sft', 'equations.jsonl')),
    portfolioRecord: () => readRecord(PORTFOLIO_RECORD),
    definitions,
    canaries: () => readStatements(join(DATA, 'canaries.jsonl')),
    modules: async (): Promise<LeanSource[]> =>
      (await discoverModules(SOURCE_DIRECTORIES))
        .filter((module) => module.path !== null)
        .map(({ name, source }) => ({ module: name, text: source })),
  };
}

/** Yields the rows of a file of `data/sft`. Throws STP1501 with the line number for an invalid line. */
async function* rowsOf<Row>(file: string, schema: z.ZodType<Row>, what: string, maker: string): AsyncGenerator<Row> {
  const path = join(DATA, 'sft', file);
  let lineNumber = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    lineNumber++;
    const row = schema.safeParse(JSON.parse(line));
    if (!row.success)
      throw new StpError('STP1501', `${path}:${lineNumber} is not ${what}`, `Make the file again: ${maker}.`);
    yield row.data;
  }
}

const readCorpora = new Map<string, { readonly mark: string | null; readonly rows: Promise<readonly CorpusFile[]> }>();

/** The rows of a corpus file. Every shard asks for them, so they are read again only where the file was written anew. */
async function corpus(path: string): Promise<readonly CorpusFile[]> {
  const mark = await fileMark(path);
  const known = readCorpora.get(path);
  if (known?.mark === mark) return known.rows;
  const rows = Array.fromAsync(readCorpus(path), ({ row }) => row);
  readCorpora.set(path, { mark, rows });
  rows.catch(() => readCorpora.delete(path));
  return rows;
}

/** Read once: the modules of the repository do not change while a worker runs. */
let readDefinitions: Promise<Definitions> | null = null;

function definitions(): Promise<Definitions> {
  readDefinitions ??= discoverModules(SOURCE_DIRECTORIES).then(
    (modules) => new Definitions(modules.map(({ source }) => source)),
  );
  return readDefinitions;
}

/** Folder of a set, from the first parent that has it; else STP1002, which names the existing sets. */
const findSet = (kind: string, name: string, parents: readonly string[]): string =>
  findNamed(kind, name, parents, { suffix: '', maker: 'Make it with `bin/stp data prepare`' });

/** Files of rankers, and how they are made. */
const RANKER = { suffix: '.bin', maker: 'Copy the `ranker.bin` of a run there (docs/lean-core.md)' };

/** Path of a folder or file, from the first parent that has it; else STP1002, which names those that exist. */
function findNamed(
  kind: string,
  name: string,
  parents: readonly string[],
  { suffix, maker }: { readonly suffix: string; readonly maker: string },
): string {
  const found = parents.map((parent) => join(parent, `${name}${suffix}`)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const known = parents.flatMap((parent) => (existsSync(parent) ? readdirSync(parent) : []));
  const own = known.filter((entry) => !entry.startsWith('.') && entry.endsWith(suffix));
  const there = [...new Set(own.map((entry) => entry.slice(0, entry.length - suffix.length)))].sort();
  throw new StpError(
    'STP1002',
    `there is no ${kind} ${name}${suggestion(name, there)} in ${parents.join(' or ')}`,
    `${maker}; there are: ${there.join(', ') || 'none'}.`,
  );
}

/** Returns the weights of a ranker's file. Throws STP1501 if it is none. */
function rankerWeights(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return ActionRanker.of(bytes).weights();
  } catch (error) {
    throw new StpError('STP1501', `${path} is no ranker of actions: ${(error as Error).message}`, `${RANKER.maker}.`);
  }
}
