/**
 * Binds judgements to the bytes of the grown library's compiled modules, because a module's name says nothing about a
 * file's content.
 */
import { sha256 } from '@stp/config/ids';
import type { LeanEnvironment } from '../../verifier.ts';
import { hashOfFile } from './judge-module.ts';

/** Returns a hash of all modules that a run has grown; null if there are none. */
export function grownHash({ grown = [] }: LeanEnvironment): string | null {
  return grown.length === 0 ? null : sha256(grown.map(({ hash }) => hash).join('\n'));
}

/** Returns why the modules on disk differ from the judged ones, or null. */
export async function changedGrownObject({ grown = [] }: LeanEnvironment): Promise<string | null> {
  for (const { path, hash } of grown) {
    const now = await hashOfFile(path).catch(() => null);
    if (now !== hash) return `${path} is no longer the module that was judged: remove its folder, then try again`;
  }
  return null;
}
