/** Errors and their causes: the failure of an activity contains the error that the activity threw. */
import { ApplicationFailure } from '@temporalio/workflow';

/** Returns the error and its causes, the root last. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) chain.push(cause);
  return chain;
}

/**
 * Returns what went wrong, with the advice of an error of ours if there is one; otherwise the message of the first
 * cause.
 */
export function rootMessage(error: unknown): string {
  const chain = causes(error);
  const ours = chain.findLast((cause) => cause instanceof ApplicationFailure && /^STP\d/.test(cause.type ?? ''));
  return (ours ?? chain.at(-1))?.message ?? String(error);
}
