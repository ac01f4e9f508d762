/** The driver of a name. */
import { StpError } from '../../data/errors.ts';
import type { DriverName, LeanDriver } from './driver.ts';
import { openJsonDriver } from './json-driver.ts';
import { openReplDriver } from './repl-driver.ts';
import { openServerDriver } from './server-driver.ts';
import type { ProcessPlace } from './spawn.ts';

export interface DriverOptions extends ProcessPlace {
  /** Absolute path of a built REPL; null or missing where no REPL is built. */
  readonly replProgram?: string | null | undefined;
}

/** Starts nothing yet. Throws STP1201 for `repl` where no REPL is configured. */
export function openDriver(name: DriverName, { replProgram, ...place }: DriverOptions): LeanDriver {
  switch (name) {
    case 'json':
      return openJsonDriver(place);
    case 'server':
      return openServerDriver(place);
    case 'repl':
      if (replProgram) return openReplDriver({ ...place, replProgram });
      throw new StpError(
        'STP1201',
        'the driver repl needs a built REPL, and none is configured',
        'Set STP_LEAN_REPL to the absolute path of its binary, or choose the driver server or json.',
      );
  }
}
