/**
 * How slow operations of a cloud are polled: with pauses that grow to a minute, while the operation is still in
 * progress.
 */
import type { NodesState } from './provider.ts';

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = 60_000;
/** A cloud that has just accepted a request may not show it yet. */
const ABSENT_LOOKS_MAX = 3;

/** @param look 1, 2, …: the one that is over */
export const pauseAfterLook = (look: number): number => Math.min(PAUSE_FIRST_MS * 2 ** (look - 1), PAUSE_MAX_MS);

/** Is it worth another look? */
export const isStillComing = ({ kind }: NodesState, look: number): boolean =>
  kind === 'waiting' || (kind === 'absent' && look < ABSENT_LOOKS_MAX);
