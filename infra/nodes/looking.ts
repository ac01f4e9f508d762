/** Polls slow cloud operations, with pauses that grow to a minute, while they are in progress. */
import type { NodesState } from './provider.ts';

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 60_000;
/** Polls during which an accepted request may still be invisible. */
const ABSENT_LOOKS_MAX = 3;

/** @param look number of the finished poll, from 1 */
export const pauseAfterLook = (look: number): number => Math.min(PAUSE_FIRST_MS * 2 ** (look - 1), PAUSE_MAX_MS);

/** May a later poll give another state? */
export const isStillComing = ({ kind }: NodesState, look: number): boolean =>
  kind === 'waiting' || (kind === 'absent' && look < ABSENT_LOOKS_MAX);
