/**
 * Admits conjectures after the gate: the first accepted statements, in the order of the plan, become the conjectures of
 * the round.
 */

import {
  type ArtifactRef,
  artifactRefSchema,
  type GateCounts,
  gateCountsSchema,
  type ObjectStore,
  rankerFiguresSchema,
} from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { RunMonitor, RunStore } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { type ConjectureRecord, conjectureRecordSchema } from '../round/conjecture-records.ts';
import type { GatedPart, ReadConjectures } from '../round/gate-parts.ts';

export const gatedSchema = z.strictObject({
  conjectures: artifactRefSchema,
  /** Texts that the conjecturer wrote. */
  made: z.number().int(),
  /** Number of texts by result of the gate. */
  counts: gateCountsSchema,
  /** Figures of the ranker, from `ReadConjectures`. */
  ranker: rankerFiguresSchema.optional(),
});
export type Gated = z.infer<typeof gatedSchema>;

export interface AdmitConjecturesInput {
  readonly run: string;
  readonly round: number;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly read: ReadConjectures;
  /** The result of each of `read.parts`, in order; null if the round was full before the part was gated. */
  readonly gated: readonly (GatedPart | null)[];
}

export function admitConjecturesActivity(ports: RunStore & RunMonitor) {
  return {
    /**
     * Admits conjectures until the round is full. Without a ranker the plan's order is random, so the first conjectures
     * are no better than the others.
     */
    async admitConjectures({ run, round, name, read, gated }: AdmitConjecturesInput): Promise<Gated> {
      const store = await ports.store(run);
      return once(store, `${name}/gated.json`, gatedSchema, () =>
        withHeartbeat(async (signal) => {
          const conjectures = await writeRecords(
            store,
            `${name}/conjectures-*.jsonl`,
            admitted(store, read, gated),
            signal,
          );
          const counts = countsOf(read, gated, conjectures);
          await logMetrics(
            ports,
            run,
            metricsAt(name, round, {
              conjectures_made: read.made,
              conjectures_accepted: conjectures.count,
              ...costsOf(gated),
            }),
          );
          return {
            conjectures,
            made: read.made,
            counts,
            ...(read.ranker === undefined ? {} : { ranker: read.ranker }),
          };
        }),
      );
    },
  };
}

async function* admitted(
  store: ObjectStore,
  { attemptsMax }: ReadConjectures,
  gated: AdmitConjecturesInput['gated'],
): AsyncGenerator<ConjectureRecord> {
  let taken = 0;
  for (const part of gated)
    for await (const conjecture of part === null ? [] : readRecords(store, part.standing, conjectureRecordSchema)) {
      if (taken === attemptsMax) return;
      taken++;
      yield conjecture;
    }
}

/**
 * Returns, for each question, the number of statements asked and the wall time in ms; and Lean's time for all, in s.
 */
function costsOf(gated: AdmitConjecturesInput['gated']): Record<string, number> {
  const costs: Record<string, number> = {};
  const add = (name: string, more: number): void => {
    costs[name] = (costs[name] ?? 0) + more;
  };
  for (const part of gated)
    for (const { question, asked, ms, leanMs } of part?.costs ?? []) {
      add(`gate_${question}_asked`, asked);
      add(`gate_${question}_ms`, ms);
      add('gate_lean_seconds', leanMs / 1_000);
    }
  return Object.fromEntries(Object.entries(costs).map(([name, sum]) => [name, Math.round(sum)]));
}

/**
 * Counts texts by result. `over-cap` counts accepted statements beyond the round's limit, and statements whose parts
 * were not gated.
 */
function countsOf(read: ReadConjectures, gated: AdmitConjecturesInput['gated'], admitted: ArtifactRef): GateCounts {
  const counts: GateCounts = { ...read.counts };
  const add = (verdict: keyof GateCounts, more: number): void => {
    if (more > 0) counts[verdict] = (counts[verdict] ?? 0) + more;
  };
  let standing = 0;
  for (const [index, part] of gated.entries()) {
    if (part === null) add('over-cap', read.parts[index]!.count);
    else {
      standing += part.standing.count;
      for (const [verdict, count] of Object.entries(part.counts)) add(verdict as keyof GateCounts, count);
    }
  }
  add('accepted', admitted.count);
  add('over-cap', standing - admitted.count);
  return counts;
}
