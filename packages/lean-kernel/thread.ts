/** Runs checks on a worker thread, which loads the kernel; the process that starts it does not. */
export { checkModuleInThread } from './olean/check-module-in-thread.ts';
export { checkInThread } from './run/check-in-thread.ts';
