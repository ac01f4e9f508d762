/** Deletes many things. Where some deletions fail the others still run. */

/**
 * One after the other. One that fails keeps no other from going, since what stays is paid for; the first failure is thrown
 * when all were tried.
 */
export async function deleteEach<T>(all: readonly T[], remove: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all)
    try {
      await remove(one);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
