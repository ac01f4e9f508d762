/** Waits for tasks to end, all of them, also where one fails: a call that returns has left no process behind. */

/** Resolves when every task has ended; rejects then with the first failure, in the order of the tasks. */
export async function allEnded(tasks: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(tasks)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
