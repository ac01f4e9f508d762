/** Tests whether a path exists and is accessible to this process. */
import { access } from 'node:fs/promises';

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
