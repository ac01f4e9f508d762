/** Work by Lean in pieces, on as many nodes as have it. */
import { CancellationScope } from '@temporalio/workflow';
import { control } from '../control/activity-proxies.ts';
import { LEAN_QUEUE } from '../control/contracts.ts';

/** Pieces at a node with Lean: one that it checks, and one that it goes on with, so that it never waits for the next. */
const PIECES_PER_NODE = 2;

/** Pieces in flight at most: two for each of 200 nodes. Each is an open activity, and Temporal allows a workflow 2,000 of them. */
export const PIECES_AT_ONCE_MAX = 400;

/** Pieces that the nodes with Lean hold at once. Where nobody has it yet, the first that comes finds work. */
export async function piecesAtOnce(): Promise<number> {
  const nodes = await control('how many nodes have Lean').countWorkers(LEAN_QUEUE);
  return Math.min(PIECES_AT_ONCE_MAX, PIECES_PER_NODE * Math.max(1, nodes));
}

/**
 * Returns the results of all pieces, in order. One that fails ends the others before anybody cleans up, or tries again, beside
 * them.
 */
export async function allPieces<T>(start: () => readonly Promise<T>[]): Promise<T[]> {
  const scope = new CancellationScope();
  return scope.run(async () => {
    const running = start();
    try {
      // A cancellation stays one, also where the pieces end with other errors.
      return await Promise.race([Promise.all(running), scope.cancelRequested]);
    } catch (error) {
      scope.cancel();
      await Promise.allSettled(running);
      throw error;
    }
  });
}
