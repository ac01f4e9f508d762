/** Deletes many resources. If some deletions fail, the others still run. */

/**
 * Deletes one after the other. A failure does not stop the rest, since remaining resources cost money. Throws the first
 * failure after all were tried.
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
