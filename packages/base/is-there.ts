/** Tests whether a path exists and this process can reach it. */
import { access } from 'node:fs/promises';

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
