/**
 * A problem set of `data/problems`: its statements, and the Lean module of its definitions. Knows the folder's files;
 * does not run Lean.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StpError } from '../errors.ts';
import type { Split, Statement } from '../schemas/records.ts';
import { readStatements } from './dataset.ts';

/** Where the sets that come with the project are, a folder each, named as in a run's configuration. */
export const PROBLEMS_DIRECTORY = fileURLToPath(new URL('../problems', import.meta.url));

export interface ProblemSet {
  readonly directory: string;
  /** In file order. */
  readonly statements: readonly Statement[];
  /** Path of `Definitions.lean`, or null where core Lean is enough. */
  readonly definitionsFile: string | null;
}

/** Statements of the set in `directory`, those of `split` only where it is given. Throws STP1501 for a bad record or an
 *  id or name that comes twice, STP1405 when the folder has no `statements.jsonl`. */
export async function loadProblemSet(directory: string, options: { readonly split?: Split } = {}): Promise<ProblemSet> {
  const path = join(directory, 'statements.jsonl');
  const statements: Statement[] = [];
  const seen = new Set<string>();
  for await (const statement of readStatements(path)) {
    for (const key of [statement.id, `name ${statement.name}`]) {
      if (seen.has(key)) {
        throw new StpError('STP1501', `${path}: ${statement.name} comes twice`, 'Remove one of the two records.', {
          facts: { path, name: statement.name, id: statement.id },
        });
      }
      seen.add(key);
    }
    if (options.split === undefined || statement.split === options.split) statements.push(statement);
  }
  const definitions = join(directory, 'Definitions.lean');
  const definitionsFile = await access(definitions).then(
    () => definitions,
    () => null,
  );
  return { directory, statements, definitionsFile };
}
