/** Error codes of the operating system for a full disk or quota. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Is a full disk the cause of the failure, directly or indirectly? */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && FULL.has(cause.code)) return true;
  return false;
}
