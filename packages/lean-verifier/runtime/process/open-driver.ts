/** Chooses the driver by its name. */
import type { DriverName, LeanDriver } from './driver.ts';
import { type JsonDriverOptions, openJsonDriver } from './json-driver.ts';
import { openServerDriver } from './server-driver.ts';
import type { ProcessContext } from './spawn.ts';

/** Starts no process yet. */
export function openDriver(name: DriverName, processContext: ProcessContext, options?: JsonDriverOptions): LeanDriver {
  return name === 'json' ? openJsonDriver(processContext, options) : openServerDriver(processContext);
}
