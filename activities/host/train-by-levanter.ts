/** Second part of a training by Levanter: all machines train at once. */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { levanterCommand, levanterConfig, runLevanter, StepMetrics } from '@stp/language-model';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { LoneTraining, RunMark, RunMonitor, RunScratch, RunStore } from '../ports.ts';
import { rootOf } from '../training/foreign-files.ts';
import type { LevanterInput, PreparedTraining, TrainedShare } from '../training/levanter.ts';
import { emptyFolder, firstWeights, trainingRequest } from '../training/levanter.ts';

const MILLISECONDS = 1_000;

export function trainByLevanterActivity(ports: RunStore & RunScratch & RunMark & LoneTraining & RunMonitor) {
  return {
    /** Runs this machine's part of the training. All machines must run theirs at the same time. */
    async trainByLevanter(input: LevanterInput, prepared: PreparedTraining): Promise<TrainedShare> {
      return withHeartbeat(async (signal, report) => {
        const { run, engine } = input;
        const { name, id, steps } = prepared;
        const store = await ports.store(run);
        const work = await emptyFolder(await ports.scratch(run), `share-${id}`);
        const within = (file: string): string => `${rootOf(store)}/${name}/${file}`;
        const paths = {
          init: await firstWeights(input, prepared, store, await ports.scratch(run), signal),
          trainRows: prepared.train.files.map((file) => within(`rows/${file}`)),
          heldOutRows: prepared.heldOut.files.map((file) => within(`rows/${file}`)),
          cache: within('cache'),
          state: within('state'),
          export: within('export'),
          logs: join(work, 'logs'),
        };
        const configPath = join(work, 'config.yaml');
        await writeFile(configPath, levanterConfig({ id, request: trainingRequest(input), engine, paths }));
        const tell = (step: number, values: Readonly<Record<string, number>>): void =>
          void logMetrics(ports, run, metricsAt(input.name, step, values));
        const metrics = new StepMetrics(steps, {
          onProgress(progress) {
            report(progress);
            const { step, loss, gradientNorm, tokensPerSecond } = progress;
            tell(step, { loss, gradient_norm: gradientNorm, tokens_per_second: tokensPerSecond });
          },
          onHeldOut: (step, loss) => tell(step, { held_out_loss: loss }),
        });
        const started = performance.now();
        const logPath = join(await ports.scratch(run), 'commands', `levanter-${id}.log`);
        const process = { logPath, runMark: ports.runMark(run), signal, work, metrics };
        await ports.alone(() => runLevanter(levanterCommand(engine, configPath), process));
        await rm(work, { recursive: true, force: true });
        const finalLoss = metrics.isEmpty ? null : metrics.finalLoss();
        const seconds = (performance.now() - started) / MILLISECONDS;
        return { finalLoss, seconds };
      });
    },
  };
}
