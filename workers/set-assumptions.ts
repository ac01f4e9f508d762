/**
 * The modules of assumptions that prepared problem sets bring (`modules/` in their folders), for the Lean of a worker. A
 * set that was made with another Lean brings none; a run that names it is refused when it reads the set.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSetOrigin } from '@stp/datasets';
import type { LeanEnvironment } from '@stp/lean-verifier';

/** `dataDirectory`: the folder of prepared sets. STP1501 for a set whose `set.json` cannot be read. */
export async function withSetAssumptions(
  environment: LeanEnvironment,
  dataDirectory: string,
): Promise<LeanEnvironment> {
  const problems = join(dataDirectory, 'problems');
  const folders: string[] = [];
  for (const name of existsSync(problems) ? readdirSync(problems).sort() : []) {
    const origin = name.startsWith('.') ? null : await readSetOrigin(join(problems, name));
    const isFit = origin?.lean === environment.version && origin.project === (environment.project ?? null);
    if (isFit && origin.assumptions.length > 0) folders.push(join(problems, name, 'modules'));
  }
  if (folders.length === 0) return environment;
  return { ...environment, searchPath: [...environment.searchPath, ...folders], assumptionFolders: folders };
}
