/**
 * The monitors of runs on this machine: a file of JSON Lines, Prometheus if the worker exports metrics, and the
 * trackers that the run's configuration names. There is one monitor for each run and process.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaves, type TrackerName, trackerNameSchema } from '@stp/config';
import { z } from 'zod';
import { combineMonitors } from '../infra/monitor/combined-monitor.ts';
import { openJsonlMonitor } from '../infra/monitor/jsonl-monitor.ts';
import type { Monitor } from '../infra/monitor/monitor.ts';
import { prometheusMonitor } from '../infra/monitor/prometheus-monitor.ts';
import { takeUpOutboxes, trackingMonitor } from '../infra/monitor/trackers/open-trackers.ts';
import { requireTrackers } from '../infra/monitor/trackers/settings.ts';
import type { TrackedRun } from '../infra/monitor/trackers/tracker.ts';
import { openStore } from '../infra/stores/open-store.ts';
import { localRunName, type WorkerSettings } from './settings.ts';

/** The part of a run's stored configuration that is read here; trackers show all of it. */
const storedSchema = z.looseObject({ tracking: z.array(trackerNameSchema).default([]) });
const CONFIG_FILE = 'config.json';

export interface RunMonitors {
  of(run: string): Promise<Monitor>;
  /** Returns the path of the file of JSON Lines. */
  path(run: string): Promise<string>;
  /** Throws STP1001 for trackers that this worker does not know. */
  require(trackers: readonly TrackerName[]): void;
  close(): Promise<void>;
}

export function openRunMonitors(settings: WorkerSettings, scratch: (run: string) => Promise<string>): RunMonitors {
  const { storeUri, metricsAddress, trackers, cacheDirectory } = settings;
  const monitors = new Map<string, Promise<Monitor>>();
  const outboxes = join(cacheDirectory, 'tracking');
  const context = { directory: outboxes, storeUri, settings: trackers };
  const leftovers = takeUpOutboxes(context, async (uri, run) => (await openTracked(uri, run)).tracked);
  leftovers.catch((error: Error) => console.error(`what was left for trackers waits: ${error.message}`));

  const path = async (run: string): Promise<string> => {
    // Metrics are for people on this machine; everything that a result depends on is in the store.
    const store = await openStore(`${storeUri}/${run}`);
    const folder = store.root.startsWith('file://') ? fileURLToPath(store.root) : await scratch(run);
    return join(folder, 'metrics.jsonl');
  };
  /** Exports the run's metrics too, if the worker's runtime exports metrics. */
  const exported = async (run: string): Promise<readonly Monitor[]> => {
    if (metricsAddress === null) return [];
    const { Runtime } = await import('@temporalio/worker');
    return [prometheusMonitor(run, Runtime.instance().metricMeter)];
  };
  /** A tracker that cannot be opened is only logged, since the run does not depend on it. */
  const tracked = async (run: string): Promise<readonly Monitor[]> => {
    try {
      const { names, tracked: about } = await openTracked(storeUri, run);
      return names.length === 0 ? [] : [await trackingMonitor(names, about, context)];
    } catch (error) {
      console.error(`run ${run} is not tracked by this worker: ${(error as Error).message}`);
      return [];
    }
  };
  const open = async (run: string): Promise<Monitor> =>
    combineMonitors(await openJsonlMonitor(await path(run)), ...(await exported(run)), ...(await tracked(run)));
  return {
    of(run) {
      const existing = monitors.get(run);
      if (existing) return existing;
      const opening = open(run);
      monitors.set(run, opening);
      opening.catch(() => monitors.delete(run));
      return opening;
    },
    path,
    require: (names) => requireTrackers(names, trackers, storeUri),
    async close() {
      const all = [...monitors.values()].map(async (monitor) => (await monitor).finalise());
      await Promise.allSettled([...all, leftovers.then((open) => open.close())]);
    },
  };
}

/** Opens the trackers that a run names, with the run's metadata for them. */
async function openTracked(
  storeUri: string,
  run: string,
): Promise<{ readonly names: readonly TrackerName[]; readonly tracked: TrackedRun }> {
  const store = await openStore(`${storeUri}/${run}`);
  const ref = await store.stat(CONFIG_FILE);
  const config = ref === null ? {} : (JSON.parse((await store.get(ref)).toString('utf8')) as object);
  const parameters = Object.fromEntries(
    [...leaves(config)].map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return {
    names: storedSchema.parse(config).tracking,
    tracked: { run, id: localRunName(storeUri, run), store, parameters },
  };
}
