/**
 * A training by Levanter over all machines of a run, or its only one, in three parts: one machine puts rows and first
 * weights into the store; all machines train at once; one machine exports the result as a checkpoint. The machines
 * share only the store, where Levanter also keeps its own checkpoints, so that a new slice continues the training of a
 * lost one. The optimizer, the loss and the first weights are those of the other trainers. The choice of examples for a
 * step differs: here a step is a number of full rows, not of tokens.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LevanterEngine } from '@stp/config';
import { contentId } from '@stp/config/ids';
import { checkpointRefSchema, type ObjectStore } from '@stp/config/records';
import {
  exportFolder,
  levanterCommand,
  levanterConfig,
  runLevanter,
  StepMetrics,
  sealExport,
  startingPoint,
  tokensOf,
  trainingId,
  writeRows,
} from '@stp/language-model';
import { optimiserSteps } from '@stp/selfplay';
import { log } from '@temporalio/activity';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { once, readJson } from '../records/record-files.ts';
import { fetchCheckpoint, storeCheckpoint } from './checkpoints.ts';
import { fetchForeign, placeOf, removeForeign } from './foreign-files.ts';
import { HELD_OUT_SCORINGS, type Trained, type TrainModelInput, trainedSchema } from './training.ts';

const MILLISECONDS = 1_000;
/** What Levanter writes below a training's name: twelve bytes a weight of state, the examples once more, the export. */
const LEVANTERS_OWN = ['state', 'cache', 'export'];

export interface LevanterInput extends TrainModelInput {
  readonly engine: LevanterEngine;
}

const writtenSchema = z.strictObject({ files: z.array(z.string()), rows: z.number(), tokens: z.number() });
const preparedSchema = z.strictObject({
  /** Name of the training in the store. */
  name: z.string(),
  /** By which Levanter finds its own checkpoints. */
  id: z.string(),
  steps: z.number(),
  /** Null: `base` of the engine, which every machine has. */
  init: checkpointRefSchema.nullable(),
  parent: z.string().nullable(),
  train: writtenSchema,
  heldOut: writtenSchema,
});
export type PreparedTraining = z.infer<typeof preparedSchema>;

/** The result of one machine's share; the loss is null if another machine reports it. */
export interface TrainedShare {
  readonly finalLoss: number | null;
  readonly seconds: number;
}

export function trainLevanterActivities(ports: Pick<Ports, 'store' | 'scratch' | 'monitor' | 'runMark' | 'alone'>) {
  /** A folder of this machine for one part, empty. */
  const folder = async (run: string, name: string): Promise<string> => {
    const directory = join(await ports.scratch(run), name);
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    return directory;
  };
  const initOf = async (input: LevanterInput, { init }: PreparedTraining, store: ObjectStore, signal: AbortSignal) =>
    init === null ? input.engine.base! : fetchCheckpoint(store, init, await ports.scratch(input.run), signal);
  const requestOf = ({ config, optimiser, examples }: LevanterInput) => {
    const steps = optimiserSteps(examples.count, optimiser);
    const heldOutEverySteps = Math.ceil(steps / HELD_OUT_SCORINGS);
    return { ...optimiser, steps, seed: config.seed, shape: config.model, heldOutEverySteps };
  };

  return {
    /** Puts the machines' input into the store, once. `trained`: the result, if the training is already done. */
    async prepareLevanter(input: LevanterInput): Promise<PreparedTraining & { readonly trained: Trained | null }> {
      const { run, engine, config } = input;
      const digest = contentId(
        'train by levanter',
        input.examples.crc32c,
        input.init?.model ?? '',
        JSON.stringify([config, input.optimiser]),
      );
      const name = `${input.name}-${digest.slice(0, 8)}`;
      const store = await ports.store(run);
      const prepared = await once(store, `${name}/prepared.json`, preparedSchema, () =>
        withHeartbeat(async (signal) => {
          const work = await folder(run, `prepare-${digest}`);
          const examplesPath = join(work, 'examples.jsonl');
          await store.download(input.examples, examplesPath);
          const { heldOut } = input;
          const heldOutPath = heldOut === null || heldOut.count === 0 ? null : join(work, 'held-out.jsonl');
          if (heldOut !== null && heldOutPath !== null) await store.download(heldOut, heldOutPath);
          const initDirectory =
            input.init === null ? null : await fetchCheckpoint(store, input.init, await ports.scratch(run), signal);
          const places = { examplesPath, heldOutPath, initDirectory, outputDirectory: '', stateDirectory: null };
          const request = { ...requestOf(input), ...places };
          const runMark = ports.runMark(run);
          const start = await startingPoint(request, engine.base, work, { runMark, signal });
          const rowsDirectory = join(work, 'rows');
          const script = { python: engine.python, threads: config.modelThreads, runMark, signal, work };
          const rows = await writeRows(request, start.initDirectory, rowsDirectory, script);
          for (const file of [...rows.train.files, ...rows.heldOut.files])
            await store.putFile(`${name}/rows/${file}`, join(rowsDirectory, file), { signal });
          const isFresh = input.init === null && engine.base === null;
          const init = isFresh
            ? await storeCheckpoint(store, `${name}/init`, start.initDirectory, { signal })
            : input.init;
          const id = await trainingId(request, engine, start.parent);
          await rm(work, { recursive: true, force: true });
          const written = ({ files, rows: count, tokens }: (typeof rows)['train']) => ({
            files: [...files],
            rows: count,
            tokens,
          });
          const { train, heldOut: scored } = rows;
          const facts = { name, id, steps: request.steps, init, parent: start.parent };
          return { ...facts, train: written(train), heldOut: written(scored) };
        }),
      );
      const done = await store.stat(`${name}/trained.json`);
      return { ...prepared, trained: done === null ? null : await readJson(store, done, trainedSchema) };
    },

    /** This machine's part of the training: all machines must be at it at the same time. */
    async trainByLevanter(input: LevanterInput, prepared: PreparedTraining): Promise<TrainedShare> {
      return withHeartbeat(async (signal, report) => {
        const { run, engine } = input;
        const { name, id, steps } = prepared;
        const store = await ports.store(run);
        const work = await folder(run, `share-${id}`);
        const within = (file: string): string => `${placeOf(store)}/${name}/${file}`;
        const places = {
          init: await initOf(input, prepared, store, signal),
          trainRows: prepared.train.files.map((file) => within(`rows/${file}`)),
          heldOutRows: prepared.heldOut.files.map((file) => within(`rows/${file}`)),
          cache: within('cache'),
          state: within('state'),
          export: within('export'),
          logs: join(work, 'logs'),
        };
        const configPath = join(work, 'config.yaml');
        await writeFile(configPath, levanterConfig({ id, request: requestOf(input), engine, places }));
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

    /** The export as a checkpoint in the store, once; what led to it is removed. */
    async finishLevanter(input: LevanterInput, prepared: PreparedTraining, share: TrainedShare): Promise<Trained> {
      const { run, engine, config, optimiser } = input;
      const { name, id, steps, parent } = prepared;
      const store = await ports.store(run);
      return withHeartbeat(async (signal, report) => {
        const trained = await once(store, `${name}/trained.json`, trainedSchema, async () => {
          const work = await folder(run, `finish-${id}`);
          const folderOfExport = `${name}/export/${id}/${exportFolder(steps)}`;
          const exported = await fetchForeign(store, folderOfExport, join(work, 'export'), signal);
          const output = join(work, 'checkpoint');
          const tokens = tokensOf(requestOf(input), prepared.train);
          const { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = optimiser;
          const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
          const training = { seed: config.seed, steps, tokens, finalLoss: share.finalLoss, ...recipe, parent };
          const runMark = ports.runMark(run);
          const script = { python: engine.python, threads: config.modelThreads, runMark, signal, work };
          const init = await initOf(input, prepared, store, signal);
          await sealExport(exported, init, output, training, script);
          const checkpoint = await storeCheckpoint(store, `${name}/checkpoint`, output, { signal, onProgress: report });
          await rm(work, { recursive: true, force: true });
          return { checkpoint, steps, loss: share.finalLoss ?? 0, tokens, seconds: share.seconds };
        });
        // Too much in the store is no reason to fail a training that is done.
        for (const part of LEVANTERS_OWN)
          await removeForeign(store, `${name}/${part}`, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            log.warn('what a training left could not be removed from the store', { part, error: String(error) });
          });
        return trained;
      });
    },
  };
}
