/**
 * The operating system's error code, such as ENOSPC, passed between processes because the handling of a failure
 * depends on it.
 */

/** Returns the system's code of the error, or of its cause. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('syscall' in cause && 'code' in cause) return String(cause.code);
  return undefined;
}

/** Makes the cause of an error that is restored in another process. */
export function causeWith(systemCode: string | undefined): { cause?: Error } {
  if (systemCode === undefined) return {};
  return { cause: Object.assign(new Error(systemCode), { code: systemCode }) };
}
