/** Waits until all tasks have ended, even if one fails, so that a call leaves no process behind when it returns. */

/** Resolves when every task has ended. If some failed, rejects with the first failure in the order of the tasks. */
export async function allEnded(tasks: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(tasks)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
