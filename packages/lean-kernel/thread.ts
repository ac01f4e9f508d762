/** Checks on a thread, which loads the kernel. The process that starts it does not. */
export { judgeInThread } from './olean/judge-in-thread.ts';
export { checkInThread } from './run/check-in-thread.ts';
