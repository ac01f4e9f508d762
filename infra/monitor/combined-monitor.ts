/** Several monitors as one: each gets every metric, and the failure of one does not affect the others. */
import type { Monitor } from './monitor.ts';

/** Each method resolves once all monitors have finished. If one failed, it then rejects with the first failure. */
export function combineMonitors(...monitors: readonly Monitor[]): Monitor {
  const each = async (work: (monitor: Monitor) => Promise<void>): Promise<void> => {
    const failed = (await Promise.allSettled(monitors.map(work))).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
  return {
    log: (metrics) => each((monitor) => monitor.log(metrics)),
    conclude: (end) => each(async (monitor) => monitor.conclude?.(end)),
    finalise: () => each((monitor) => monitor.finalise()),
  };
}
