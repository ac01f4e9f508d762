/** Errors with what led to them: a failure of an activity holds what the activity threw. */
import { ApplicationFailure } from '@temporalio/workflow';

/** The error and what led to it, the root last. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) chain.push(cause);
  return chain;
}

/** Returns what went wrong, and what to do about it if an error of ours says so; else the message of the first cause. */
export function rootMessage(error: unknown): string {
  const chain = causes(error);
  const ours = chain.findLast((cause) => cause instanceof ApplicationFailure && /^STP\d/.test(cause.type ?? ''));
  return (ours ?? chain.at(-1))?.message ?? String(error);
}
