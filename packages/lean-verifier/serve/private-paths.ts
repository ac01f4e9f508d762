/**
 * Hides this machine's folders from clients. Lean names folders in its messages (a module that it cannot find, a file
 * that it cannot open), and so may our own errors. The known folders are replaced in every text that does not come from
 * the client.
 */
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { LeanEnvironment } from '../verifier.ts';

export type HidePaths = (text: string) => string;

/**
 * Characters before or after a match that make it part of another name. A full stop after a match may end a sentence.
 */
const BEFORE = '[\\p{L}\\p{N}_.~@%+-]';
const BEHIND = '[\\p{L}\\p{N}_~@%+-]';

/**
 * Hides the given folders of the service, and those of Lean and of the user. In nested folders the innermost gives the
 * name. Each folder is searched for by its given path and, if that is a link, by its target.
 */
export function hidePathsOf(
  { executable, searchPath }: Pick<LeanEnvironment, 'executable' | 'searchPath'>,
  folders: readonly string[],
): HidePaths {
  const names = new Map<string, string>();
  const add = (path: string, name: string): void => {
    for (const one of [resolve(path), real(path)]) if (one !== '/' && !names.has(one)) names.set(one, name);
  };
  for (const path of [executable, real(executable)]) add(dirname(dirname(path)), 'LEAN');
  for (const path of searchPath) if (isAbsolute(path)) add(path, 'LIBRARY');
  for (const path of folders) add(path, 'SERVICE');
  // A temporary folder that every machine has reveals nothing.
  if (tmpdir() !== '/tmp') add(tmpdir(), 'TEMPORARY');
  add(homedir(), 'HOME');
  if (names.size === 0) return (text) => text;
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<!${BEFORE})(?:${longestFirst.join('|')})(?!${BEHIND})`, 'gu');
  return (text) => text.replace(pattern, (path) => `<${names.get(path)}>`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
