/**
 * The trackers of a run as one monitor, each with an outbox in a folder named after its process. The next worker on the
 * machine sends what a dead process could not.
 */

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnedFolder, orphanPrefix } from '@stp/base/files';
import { type TrackerName, trackerNameSchema } from '@stp/config';
import { z } from 'zod';
import type { Monitor } from '../monitor.ts';
import { trackedName } from '../tracked-metrics.ts';
import { Outbox } from './outbox.ts';
import { openTracker, type TrackerSettings } from './settings.ts';
import type { Entry, TrackedRun } from './tracker.ts';

/** Time that an ending worker waits for trackers, ms. */
const PATIENCE_MS = 5_000;
/** Age after which metrics that could not be sent are dropped. */
const KEPT_MS_MAX = 30 * 24 * 3_600_000;

/** Schema of the record beside the entries, with what is needed to open the tracker again. */
const aboutSchema = z.strictObject({
  tracker: trackerNameSchema,
  storeUri: z.string(),
  run: z.string(),
  at: z.iso.datetime(),
});

export interface TrackersContext {
  /** Parent of all outboxes of this machine. */
  readonly directory: string;
  /** URI below which the runs' folders are. */
  readonly storeUri: string;
  readonly settings: TrackerSettings;
}

export async function trackingMonitor(
  names: readonly TrackerName[],
  run: TrackedRun,
  { directory, storeUri, settings }: TrackersContext,
): Promise<Monitor> {
  const outboxes: Outbox[] = [];
  for (const name of names) {
    const folder = await makeOwnedFolder(directory, name);
    const about = { tracker: name, storeUri, run: run.run, at: new Date().toISOString() };
    await writeFile(join(folder, 'about.json'), JSON.stringify(about));
    outboxes.push(await openOutbox(name, folder, run, settings));
  }
  const give = async (entries: readonly Entry[]): Promise<void> => {
    if (entries.length > 0) await Promise.all(outboxes.map((outbox) => outbox.add(entries)));
  };
  return {
    async log(metrics) {
      const at = new Date().toISOString();
      const entries = metrics.flatMap((metric): Entry[] => {
        const name = trackedName(metric.name);
        return name === null ? [] : [{ kind: 'metric', metric: { ...metric, name, at } }];
      });
      await give(entries);
    },
    conclude: (end) => give([{ kind: 'end', at: new Date().toISOString(), end }]),
    async finalise() {
      await Promise.all(outboxes.map((outbox) => outbox.close(PATIENCE_MS)));
    },
  };
}

async function openOutbox(
  name: TrackerName,
  directory: string,
  run: TrackedRun,
  settings: TrackerSettings,
): Promise<Outbox> {
  const say = (line: string): void => console.error(`run ${run.run}: ${name} ${line}`);
  return Outbox.open({ directory, tracker: openTracker(name, run, settings, say), say });
}

/**
 * Sends what dead workers of this machine could not. The caller closes the outboxes; a non-empty outbox then waits for
 * the next worker.
 */
export async function takeUpOutboxes(
  { directory, settings }: Omit<TrackersContext, 'storeUri'>,
  openRun: (storeUri: string, run: string) => Promise<TrackedRun>,
): Promise<{ close(): Promise<void> }> {
  const open: Outbox[] = [];
  for (const name of await readdir(directory).catch(() => [])) {
    if ((await orphanPrefix(name)) === null) continue;
    const outbox = await takeUp(join(directory, name), settings, openRun).catch((error: Error) => {
      console.error(`what ${name} holds for a tracker waits: ${error.message}`);
      return null;
    });
    if (outbox !== null) open.push(outbox);
  }
  return {
    async close() {
      await Promise.all(open.map((outbox) => outbox.close(PATIENCE_MS)));
    },
  };
}

/** Null if another worker has taken it up, or if it is too old. */
async function takeUp(
  left: string,
  settings: TrackerSettings,
  openRun: (storeUri: string, run: string) => Promise<TrackedRun>,
): Promise<Outbox | null> {
  const about = aboutSchema.parse(JSON.parse(await readFile(join(left, 'about.json'), 'utf8')));
  const isOld = Date.now() - Date.parse(about.at) > KEPT_MS_MAX;
  if (isOld) {
    await rm(left, { recursive: true, force: true });
    return null;
  }
  const run = await openRun(about.storeUri, about.run);
  const own = await makeOwnedFolder(join(left, '..'), about.tracker);
  // Only one of two workers can move the folder; the other finds nothing under its old name.
  await rm(own, { recursive: true });
  try {
    await rename(left, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return openOutbox(about.tracker, own, run, settings);
}
