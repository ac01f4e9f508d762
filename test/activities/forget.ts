/** Takes an object out of a store folder `DIRECTORY/store`, as if the attempt that wrote it had been lost just before. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

export async function forget(directory: string, name: string): Promise<void> {
  await rm(join(directory, 'store', name));
  await rm(join(directory, 'store', '.stp', 'marks', name), { recursive: true });
}
