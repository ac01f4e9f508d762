/** The `Sources` port over the repository's own folders: problem sets, library, searched proofs, canaries. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Sources } from '../activities/ports.ts';
import { StpError } from '../data/errors.ts';
import { readStatements } from '../data/loaders/dataset.ts';
import { PROOF_CHARS_MAX } from '../data/schemas/records.ts';
import { extractLibrary } from '../lean/library/extract.ts';
import { discoverModules } from '../lean/library/modules.ts';
import type { LeanSource } from '../lean/library/prune.ts';
import { REPOSITORY } from './settings.ts';

const DATA = join(REPOSITORY, 'data');
export const SOURCE_DIRECTORIES = [
  { directory: join(DATA, 'library'), modulePrefix: 'Stp' },
  { directory: join(DATA, 'problems'), modulePrefix: 'Stp.Problems' },
] as const;

const searchedRowSchema = z.object({ theorem: z.string().max(256), proof: z.string().max(PROOF_CHARS_MAX) });

export function repositorySources(): Sources {
  const library = join(DATA, 'library');
  return {
    problemSet: (name) => readStatements(join(DATA, 'problems', name, 'statements.jsonl')),
    libraryTheorems: async () => (await extractLibrary(library)).theorems,
    async *searchedProofs() {
      const path = join(DATA, 'sft', 'search.jsonl');
      let lineNumber = 0;
      for await (const line of createInterface({ input: createReadStream(path) })) {
        lineNumber++;
        const row = searchedRowSchema.safeParse(JSON.parse(line));
        if (!row.success)
          throw new StpError(
            'STP1501',
            `${path}:${lineNumber} is not a searched proof`,
            'Make the file again: node lean/library/search-main.ts.',
          );
        yield row.data;
      }
    },
    canaries: () => readStatements(join(DATA, 'canaries.jsonl')),
    modules: async (): Promise<LeanSource[]> =>
      (await discoverModules(SOURCE_DIRECTORIES))
        .filter((module) => module.path !== null)
        .map(({ name, source }) => ({ module: name, text: source })),
  };
}
