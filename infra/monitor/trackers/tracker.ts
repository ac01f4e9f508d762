/**
 * A tracker shows runs to people: MLflow, TensorBoard, Weights & Biases. An outbox (`outbox.ts`) sends it metrics in
 * batches, in order, and keeps them while the tracker is down.
 */

import { StpError } from '@stp/base';
import type { TrackerName } from '@stp/config';
import { type ObjectStore, type TrackingLink, trackingLinkSchema } from '@stp/config/records';
import { z } from 'zod';
import { type LoggedMetric, metricLine, readMetricLine } from '../jsonl-monitor.ts';
import { type RunEnd, runEndSchema } from '../monitor.ts';

export type Entry =
  | { readonly kind: 'metric'; readonly metric: LoggedMetric }
  | { readonly kind: 'end'; readonly at: string; readonly end: RunEnd };

export interface Tracker {
  /**
   * Takes the entries in order. Entries that the tracker refuses permanently are dropped with a warning. Throws if it
   * cannot take them now; they are then sent again, so some may arrive twice.
   */
  send(entries: readonly Entry[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A run's data for trackers. */
export interface TrackedRun {
  /** The run's name in its store. */
  readonly run: string;
  /** The run's name on this machine, unique among stores. */
  readonly id: string;
  readonly store: ObjectStore;
  /** Values of the configuration by dotted key. */
  readonly parameters: Readonly<Record<string, string>>;
}

const endLineSchema = z.strictObject({ at: z.iso.datetime(), end: runEndSchema });

export const entryLine = (entry: Entry): string =>
  entry.kind === 'metric'
    ? metricLine({ name: entry.metric.name, step: entry.metric.step, value: entry.metric.value }, entry.metric.at)
    : JSON.stringify({ at: entry.at, end: entry.end });

/** Returns null for a line torn by a crash. */
export function readEntry(line: string): Entry | null {
  const metric = readMetricLine(line);
  if (metric !== null) return { kind: 'metric', metric };
  try {
    const { at, end } = endLineSchema.parse(JSON.parse(line));
    return { kind: 'end', at, end };
  } catch {
    return null;
  }
}

const FOLDER = 'tracking/';

/** @param destination distinguishes servers of one kind */
export const linkName = (tracker: TrackerName, destination: string): string =>
  `${FOLDER}${tracker}-${destination}.json`;

export async function readLink(store: ObjectStore, name: string): Promise<TrackingLink | null> {
  const ref = await store.stat(name);
  if (ref === null) return null;
  return trackingLinkSchema.parse(JSON.parse((await store.get(ref)).toString('utf8')));
}

/** Stores the link and returns it. If another process was first, returns that process's link. */
export async function keepLink(store: ObjectStore, name: string, link: TrackingLink): Promise<TrackingLink> {
  try {
    await store.put(name, `${JSON.stringify(link)}\n`);
    return link;
  } catch (error) {
    const theirs = error instanceof StpError && error.code === 'STP1404' ? await readLink(store, name) : null;
    if (theirs === null) throw error;
    return theirs;
  }
}

/** Returns all links of a run, by tracker. */
export async function readLinks(store: ObjectStore): Promise<TrackingLink[]> {
  const links: TrackingLink[] = [];
  for await (const { name } of store.list(FOLDER)) {
    const link = await readLink(store, name);
    if (link !== null) links.push(link);
  }
  return links.sort((a, b) => (a.tracker < b.tracker ? -1 : 1));
}
