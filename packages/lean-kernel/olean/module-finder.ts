/**
 * Finds compiled modules: a name such as `Init.Data.Nat` is the file `Init/Data/Nat.olean` in a folder of a search
 * path.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../input-error.ts';
import type { Name, NameTable } from '../name.ts';
import { Decline } from '../verdict.ts';

/** `module` is a name with dots. Throws `InputError` if no folder has it. */
export function findModule(module: string, searchPath: readonly string[]): string {
  const relative = `${join(...module.split('.'))}.olean`;
  for (const folder of searchPath) if (existsSync(join(folder, relative))) return join(folder, relative);
  throw new InputError(
    `the imported module ${module} is in none of: ${searchPath.join(', ')}`,
    'Name its folder with --search-path.',
  );
}

/** Returns the name with dots. No name can refer to a file outside a folder of the search path. Throws `Decline`. */
export function moduleName(names: NameTable, name: Name): string {
  const parts = names.parts(name);
  if (parts.some((part) => typeof part !== 'string' || part === '' || /^\.+$|[./\\\0]/.test(part)))
    throw new Decline(`a module named ${JSON.stringify(names.print(name))}`);
  return parts.join('.');
}
