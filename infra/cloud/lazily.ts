/** Common behaviour of cloud clients: a client is made at its first call, and "not found" is an ordinary answer. */
import { codeOf, NOT_FOUND } from './errors.ts';

/** Makes the value at the first call; a failure is not cached. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Returns the result of the call, or null for "not found". */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return null;
    throw error;
  }
}
