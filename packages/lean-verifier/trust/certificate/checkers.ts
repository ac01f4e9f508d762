/**
 * The checkers of a certificate beyond our own judge, in the order in which they are asked. The second kernel is not among
 * them: it is a part of that judge (`../object/judge-object.ts`).
 */
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import type { Checker } from './checker.ts';
import { leanchecker } from './leanchecker.ts';

/** One of them, or the second kernel, must have accepted a theorem. */
export const CHECKERS: readonly Checker[] = [leanchecker];

/** Name and version of each; a verdict over objects that one of them has not seen is not that of a machine that has it. */
export function checkerVersions(place: ProcessPlace): Promise<string[]> {
  return Promise.all(CHECKERS.map(async ({ name, version }) => `${name} ${(await version(place)) ?? 'absent'}`));
}
