/** Chooses the driver by its name. */
import type { DriverName, LeanDriver } from './driver.ts';
import { type HeaderReading, openJsonDriver } from './json-driver.ts';
import { openServerDriver } from './server-driver.ts';
import type { ProcessContext } from './spawn.ts';

/** Starts no process yet. */
export function openDriver(name: DriverName, processContext: ProcessContext, headers?: HeaderReading): LeanDriver {
  return name === 'json' ? openJsonDriver(processContext, headers) : openServerDriver(processContext);
}
