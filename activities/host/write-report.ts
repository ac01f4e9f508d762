/**
 * The end of a run: writes summary.json, proofs.lean (checked as a whole), report.html and its CSV files, from records
 * in the store alone.
 */

import { artifactRefSchema, type Evaluation, runCostSchema, trackingLinkSchema } from '@stp/config/records';
import { z } from 'zod';
import type { Metric } from '../../infra/monitor/monitor.ts';
import { readLinks } from '../../infra/monitor/trackers/tracker.ts';
import { withHeartbeat } from '../edge.ts';
import { concludeRun, logMetrics } from '../metrics.ts';
import type {
  DataSources,
  FileCheck,
  LeanSandbox,
  RunMonitor,
  RunScratch,
  RunStore,
  RunVerifier,
  TrainingLosses,
} from '../ports.ts';
import { once } from '../records/record-files.ts';
import { gatherRun } from '../report/gather.ts';
import { keptProofs } from '../report/kept-proofs.ts';
import { makeReport } from '../report/make-report.ts';
import { whyIneligible } from '../round/certificate-record.ts';
import { costOfRun } from '../run/cost.ts';
import { REPORTED } from '../run/finished-rounds.ts';
import { metricsOfRound } from '../run/round-metrics.ts';
import type { ReportInput, RunState, SelfplayResult } from '../run/run-state.ts';

const reportedSchema = z.strictObject({
  summary: artifactRefSchema,
  report: artifactRefSchema,
  proofs: artifactRefSchema,
});

export function writeReportActivity(
  ports: RunStore &
    RunScratch &
    RunVerifier<'environment'> &
    FileCheck &
    LeanSandbox &
    RunMonitor &
    TrainingLosses &
    DataSources<'modules'>,
) {
  return {
    async writeReport(input: ReportInput): Promise<SelfplayResult> {
      const { run, state, evaluation } = input;
      const store = await ports.store(run);
      return once(store, REPORTED, reportedSchema, () =>
        withHeartbeat(async (signal) => {
          const { proofs, kept } = await keptProofs(ports, run, state, signal);
          const limits = state.config.verification;
          const verifier = await ports.verifier(run, limits);
          const figures = await gatherRun({
            run,
            store,
            state,
            evaluation,
            finished: true,
            leanVersion: verifier.environment.version,
            ineligibleBecause: whyIneligible(await ports.sandbox(limits.sandbox)),
            losses: await ports.losses(run),
            // Stored once, so that a second attempt gives the same: prices and trackers may have changed meanwhile.
            cost: await once(store, 'report/cost.json', runCostSchema, async () => costOfRun(state)),
            tracking: await once(store, 'report/tracking.json', z.array(trackingLinkSchema), () => readLinks(store)),
          });
          const summary = { ...figures.summary, proofsInFile: kept };
          const [page, ...tables] = await makeReport([{ ...figures, summary }]);
          for (const table of tables) await store.put(table.name, table.text);
          const reported = {
            summary: await store.put('summary.json', `${JSON.stringify(summary, null, 2)}\n`),
            report: await store.put(page!.name, page!.text),
            proofs,
          };
          await logMetrics(ports, run, heldOutMetrics(state, evaluation));
          const objects = ['config.json', 'summary.json', 'proofs.lean', page!.name, ...tables.map(({ name }) => name)];
          await concludeRun(ports, run, { status: 'finished', objects });
          return reported;
        }),
      );
    },
  };
}

/** Returns the metrics of the first model as round 0 and those of the last model as the last round. */
function heldOutMetrics({ nextRound }: RunState, evaluation: Evaluation | null): Metric[] {
  if (evaluation === null) return [];
  return [
    ...metricsOfRound(0, { held_out_proved: evaluation.provedFirst }),
    ...(nextRound > 1 ? metricsOfRound(nextRound - 1, { held_out_proved: evaluation.provedLast }) : []),
  ];
}
