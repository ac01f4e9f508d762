/** Whether there is something at a path that this process can reach. */
import { access } from 'node:fs/promises';

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
