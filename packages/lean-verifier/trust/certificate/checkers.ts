/**
 * The checkers of a certificate in addition to the object judge, in the order in which they run. The second kernel is
 * not listed here, because it is a part of that judge (`../object/inspect-module.ts`).
 */
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import type { Checker } from './checker.ts';
import { leanchecker } from './leanchecker.ts';

/** A theorem must be accepted by one of these or by the second kernel. */
export const CHECKERS: readonly Checker[] = [leanchecker];

/**
 * Returns name and version of each checker. They are part of a verdict's cache key, because another machine may have
 * other checkers.
 */
export function checkerVersions(processContext: ProcessContext): Promise<string[]> {
  return Promise.all(
    CHECKERS.map(async ({ name, version }) => `${name} ${(await version(processContext)) ?? 'absent'}`),
  );
}
