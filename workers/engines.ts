/**
 * The engines that sample and train on this machine, chosen by each run's configuration (`engines`). One engine works
 * at a time: runs on the same machine alternate, and a training waits for the current samples. Servers in
 * STP_GENERATOR_URL are on other machines and do not take part in this.
 */

import { join } from 'node:path';
import { Semaphore, StpError } from '@stp/base';
import { type EnginesConfig, enginesConfigSchema, type TrainerEngine } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import {
  embeddedGenerator,
  embeddedTrainer,
  type Generator,
  ggufToFolder,
  LocalGenerators,
  llamaCppGenerator,
  pytorchTrainer,
  type RemoteOptions,
  readGgufModel,
  readServedModel,
  type ServerMetrics,
  type Trainer,
  transformersProgram,
  vllmProgram,
} from '@stp/language-model';
import { z } from 'zod';
import type { Ports } from '../activities/ports.ts';
import { requireLlamaCpp } from '../infra/llama-cpp/install.ts';
import type { Metric, Monitor } from '../infra/monitor/monitor.ts';
import { weightsFolder } from '../infra/weights/weights.ts';
import { remoteGenerators } from './remote-generators.ts';

/** The part of a run's stored configuration that this file reads. */
const storedSchema = z.looseObject({ engines: enginesConfigSchema.prefault({}) });
const CONFIG_FILE = 'config.json';

export interface EnginesOptions {
  readonly modelServer: RemoteOptions | null;
  readonly store: (run: string) => Promise<ObjectStore>;
  readonly scratch: (run: string) => Promise<string>;
  readonly runMark: (run: string) => string;
  readonly monitor: (run: string) => Promise<Monitor>;
  /** Cache for weights from elsewhere. */
  readonly cacheDirectory: string;
}

export interface Engines extends Pick<Ports, 'generator' | 'trainer' | 'alone'> {
  /** Ends the warm engines of runs that `isOf` selects. */
  release(isOf: (run: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface Warm {
  readonly run: string;
  readonly key: string;
  /** Returns the generator for a checkpoint folder. */
  readonly of: (directory: string) => Pick<Generator, 'sample' | 'embed'>;
  close(): Promise<void>;
}

export function openEngines({
  modelServer,
  store,
  scratch,
  runMark,
  monitor,
  cacheDirectory,
}: EnginesOptions): Engines {
  const remote = modelServer === null ? null : remoteGenerators(modelServer);
  const chosen = new Map<string, EnginesConfig>();
  let warm: Warm | null = null;
  const turns = new Semaphore();
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => turns.run(1, work);
  const closeWarm = async (): Promise<void> => {
    const closing = warm;
    warm = null;
    await closing?.close().catch(() => undefined);
  };
  /** A training needs the memory that an idle sampler holds for weights, moments and activations. */
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    exclusive(async () => {
      await closeWarm();
      return work();
    });
  /** Reads the run's choice once, since a run's configuration never changes. */
  const enginesOf = async (run: string): Promise<EnginesConfig> => {
    const known = chosen.get(run);
    if (known !== undefined) return known;
    const files = await store(run);
    const ref = await files.stat(CONFIG_FILE);
    if (ref === null) return enginesConfigSchema.parse({});
    const { engines } = storedSchema.parse(JSON.parse((await files.get(ref)).toString('utf8')));
    chosen.set(run, engines);
    return engines;
  };
  const open = async (run: string, directory: string, threads: number): Promise<Warm> => {
    const { generator: engine } = await enginesOf(run);
    const isServed = engine.kind === 'vllm' || engine.kind === 'transformers';
    const key = JSON.stringify(isServed ? [run, engine] : [run, engine, directory, threads]);
    if (warm?.key === key) return warm;
    if (engine.kind !== 'llama-cpp' && (await readGgufModel(directory)) !== null)
      throw new StpError(
        'STP1002',
        `the model is a GGUF file, and engines.generator.kind is ${engine.kind}`,
        'Set engines.generator.kind=llama-cpp.',
      );
    await closeWarm();
    if (engine.kind === 'embedded' || engine.kind === 'llama-cpp') {
      const options = { threads, runMark: runMark(run) };
      const factory =
        engine.kind === 'embedded'
          ? embeddedGenerator(options)
          : llamaCppGenerator({
              engine,
              library: await requireLlamaCpp(cacheDirectory),
              cores: threads,
              runMark: runMark(run),
            });
      const generator = await factory(directory);
      warm = { run, key, of: () => generator, close: () => generator.close() };
    } else {
      const logDirectory = join(await scratch(run), 'servers');
      let looks = 0;
      const onMetrics = async (metrics: Partial<ServerMetrics>): Promise<void> => {
        looks += 1;
        // The metrics are for people, so losing some must not end the sampling.
        await (await monitor(run)).log(serverMetrics(looks, metrics));
      };
      const program =
        engine.kind === 'vllm' ? vllmProgram(engine) : transformersProgram(engine, (await enginesOf(run)).trainer);
      const servers = new LocalGenerators({
        program,
        logDirectory,
        runMark: runMark(run),
        findBase: async (signal) => baseOf((await enginesOf(run)).trainer, signal),
        onMetrics: (metrics) => void onMetrics(metrics).catch(() => undefined),
      });
      // One generator serves any requested folder.
      warm = { run, key, of: (folder) => servers.generator(folder), close: () => servers.close() };
    }
    return warm;
  };
  const generatorOf = async (run: string, directory: string, threads: number) =>
    (await open(run, directory, threads)).of(directory);
  /** Returns the local folder of the model that trainings start from, or null. */
  const baseOf = async (engine: TrainerEngine, signal: AbortSignal | undefined): Promise<string | null> => {
    if (engine.kind === 'levanter' || engine.base === null) return null;
    const { fetchBase, python } = engine.kind === 'pytorch' ? engine : { fetchBase: false, python: 'python3' };
    return weightsFolder(engine.base, fetchBase, {
      cacheDirectory,
      python,
      signal,
      convertGguf: ggufToFolder,
    });
  };
  const trainerFor = (engine: TrainerEngine, run: string, threads: number): Trainer => {
    const findBase = (signal: AbortSignal | undefined) => baseOf(engine, signal);
    const options = { threads, runMark: runMark(run), findBase };
    switch (engine.kind) {
      case 'embedded':
        return embeddedTrainer(options);
      case 'pytorch':
        return pytorchTrainer({ ...options, engine });
      case 'levanter':
        // Levanter has activities of its own, on a slice or on one machine: activities/host/train-by-levanter.ts.
        throw new StpError('STP1002', 'Levanter does not train behind this port', 'Update the workers: they disagree.');
    }
  };
  return {
    async generator(run, directory, threads, signal) {
      if (remote !== null) return remote.generator(directory, signal);
      const elsewhere = await readServedModel(directory);
      if (elsewhere !== null)
        throw new StpError(
          'STP1304',
          `the weights of ${elsewhere.name} are with a server only, and this worker knows none`,
          'Set STP_GENERATOR_URL for the workers that sample.',
        );
      return {
        sample: (...request) => exclusive(async () => (await generatorOf(run, directory, threads)).sample(...request)),
        embed: (...request) => exclusive(async () => (await generatorOf(run, directory, threads)).embed(...request)),
      };
    },
    trainer: (run, threads) => ({
      train: (request, options) =>
        alone(async () => trainerFor((await enginesOf(run)).trainer, run, threads).train(request, options)),
    }),
    alone,
    async release(isOf) {
      if (warm !== null && isOf(warm.run)) await closeWarm();
    },
    async close() {
      await closeWarm();
      await remote?.close();
    },
  };
}

/** Names metrics in the monitor's form, such as `model_server/requests_running`. */
function serverMetrics(step: number, metrics: Partial<ServerMetrics>): Metric[] {
  const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.entries(metrics).map(([name, value]) => ({ name: `model_server/${inWords(name)}`, step, value }));
}
