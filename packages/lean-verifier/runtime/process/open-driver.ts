/** Returns the driver with a given name. */
import type { DriverName, LeanDriver } from './driver.ts';
import { openJsonDriver } from './json-driver.ts';
import { openServerDriver } from './server-driver.ts';
import type { ProcessPlace } from './spawn.ts';

/** Starts nothing yet. */
export function openDriver(name: DriverName, place: ProcessPlace): LeanDriver {
  return name === 'json' ? openJsonDriver(place) : openServerDriver(place);
}
