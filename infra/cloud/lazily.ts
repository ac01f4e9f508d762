/**
 * The common behaviour of all clients of a cloud: a client is made at its first call, and "not found" is an ordinary
 * answer.
 */
import { codeOf, NOT_FOUND } from './errors.ts';

/** Made at the first call; a failure is not remembered. */
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

/** Returns the result of the call, or null if it says that there is no such thing. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return null;
    throw error;
  }
}
