/** Divides work for Lean into pieces for all nodes that have Lean. */
import { CancellationScope } from '@temporalio/workflow';
import { control } from '../control/activity-proxies.ts';
import { LEAN_QUEUE } from '../control/contracts.ts';

/** Pieces in flight for each node with Lean: the one being checked and the next one, so that the node never waits. */
const PIECES_PER_NODE = 2;

/**
 * Most pieces in flight: two for each of 200 nodes. Each is an open activity, and Temporal allows a workflow 2,000 of
 * them.
 */
export const PIECES_AT_ONCE_MAX = 400;

/**
 * Returns the number of pieces that the nodes with Lean hold at once; at least one node's, so that the first node to
 * come finds work.
 */
export async function piecesAtOnce(): Promise<number> {
  const nodes = await control('how many nodes have Lean').countWorkers(LEAN_QUEUE);
  return Math.min(PIECES_AT_ONCE_MAX, PIECES_PER_NODE * Math.max(1, nodes));
}

/**
 * Returns the results of all pieces, in order. A failed piece ends the others before its error is thrown, so none runs
 * beside a clean-up or a retry.
 */
export async function allPieces<T>(start: () => readonly Promise<T>[]): Promise<T[]> {
  const scope = new CancellationScope();
  return scope.run(async () => {
    const running = start();
    try {
      // A cancellation is thrown as such, even if the pieces end with other errors.
      return await Promise.race([Promise.all(running), scope.cancelRequested]);
    } catch (error) {
      scope.cancel();
      await Promise.allSettled(running);
      throw error;
    }
  });
}
