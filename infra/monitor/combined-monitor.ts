/** Several monitors as one: each gets every metric, and the failure of one does not affect the others. */
import type { Monitor } from './monitor.ts';

/** `log` and `finalise` resolve once all have done their part, and reject with the first failure after that. */
export function combineMonitors(...monitors: readonly Monitor[]): Monitor {
  const each = async (work: (monitor: Monitor) => Promise<void>): Promise<void> => {
    const failed = (await Promise.allSettled(monitors.map(work))).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
  return {
    log: (metrics) => each((monitor) => monitor.log(metrics)),
    finalise: () => each((monitor) => monitor.finalise()),
  };
}
