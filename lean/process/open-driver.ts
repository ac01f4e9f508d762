/** The driver of a name. */
import type { DriverName, LeanDriver } from './driver.ts';
import { openJsonDriver } from './json-driver.ts';
import { openServerDriver } from './server-driver.ts';
import type { ProcessPlace } from './spawn.ts';

export function openDriver(name: DriverName, options: ProcessPlace): LeanDriver {
  switch (name) {
    case 'json':
      return openJsonDriver(options);
    case 'server':
      return openServerDriver(options);
    default:
      throw new Error(name);
  }
}
