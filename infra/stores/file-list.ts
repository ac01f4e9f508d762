/**
 * Lists the names of the files under a folder, one at a time, in the byte order of the whole name, like Google Cloud
 * Storage.
 */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { nullWhenMissing } from './file-objects.ts';
import { RESERVED_PART } from './names.ts';

/** Yields the names with the prefix. Memory holds the entries of one folder at each level, never the whole tree. */
export async function* listFileNames(folder: string, prefix: string): AsyncGenerator<string> {
  yield* walk(folder, '', prefix);
}

async function* walk(folder: string, above: string, prefix: string): AsyncGenerator<string> {
  const directory = await opendir(folder).catch(nullWhenMissing);
  if (directory === null) return;
  const entries: string[] = [];
  for await (const entry of directory) {
    // A folder stands for the names below it, which all continue with a slash.
    if (entry.isDirectory() && !(above === '' && entry.name === RESERVED_PART)) entries.push(`${above}${entry.name}/`);
    if (entry.isFile()) entries.push(above + entry.name);
  }
  // Names are ASCII, so the order of code units is the order of bytes.
  for (const name of entries.sort((left, right) => (left < right ? -1 : 1))) {
    if (!name.endsWith('/')) {
      if (name.startsWith(prefix)) yield name;
    } else if (name.startsWith(prefix) || prefix.startsWith(name)) {
      yield* walk(join(folder, name.slice(above.length)), name, prefix);
    }
  }
}
