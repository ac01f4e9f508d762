/** Opens the engines that a run's configuration names (`engines`): those that sample and those that train. */
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { EnginesConfig, TrainerEngine } from '@stp/config';
import {
  embeddedGenerator,
  embeddedTrainer,
  ggufToFolder,
  LocalGenerators,
  llamaCppGenerator,
  pytorchTrainer,
  readGgufModel,
  type ServerMetrics,
  type Trainer,
  transformersProgram,
  vllmProgram,
} from '@stp/language-model';
import { requireLlamaCpp } from '../infra/llama-cpp/install.ts';
import type { Metric, Monitor } from '../infra/monitor/monitor.ts';
import { weightsFolder } from '../infra/weights/weights.ts';
import type { Sampler } from './warm-sampler.ts';

export interface EngineTools {
  readonly scratch: (run: string) => Promise<string>;
  readonly runMark: (run: string) => string;
  readonly monitor: (run: string) => Promise<Monitor>;
  /** Cache for weights from elsewhere. */
  readonly cacheDirectory: string;
}

/** What is sampled: a checkpoint folder, with so many threads. */
export interface Sampled {
  readonly directory: string;
  readonly threads: number;
}

type GeneratorEngine = EnginesConfig['generator'];
type ServerEngine = Extract<GeneratorEngine, { kind: 'vllm' | 'transformers' }>;
const isServer = (engine: GeneratorEngine): engine is ServerEngine =>
  engine.kind === 'vllm' || engine.kind === 'transformers';

/** Returns the key of an engine: samplers with one key can be used in place of each other. */
export function samplerKey(run: string, { generator }: EnginesConfig, { directory, threads }: Sampled): string {
  // One server serves any checkpoint folder.
  return JSON.stringify(isServer(generator) ? [run, generator] : [run, generator, directory, threads]);
}

async function requireReadable({ generator: { kind } }: EnginesConfig, directory: string): Promise<void> {
  if (kind === 'llama-cpp' || (await readGgufModel(directory)) === null) return;
  throw new StpError(
    'STP1002',
    `the model is a GGUF file, and engines.generator.kind is ${kind}`,
    'Set engines.generator.kind=llama-cpp.',
  );
}

/** Throws STP1002 if the model is a GGUF file and the engine cannot read it. */
export async function openSampler(
  tools: EngineTools,
  run: string,
  engines: EnginesConfig,
  sampled: Sampled,
): Promise<Sampler> {
  await requireReadable(engines, sampled.directory);
  const { generator: engine, trainer } = engines;
  return isServer(engine) ? openServers(tools, run, engine, trainer) : openLocal(tools, run, engine, sampled);
}

async function openLocal(
  { runMark, cacheDirectory }: EngineTools,
  run: string,
  engine: Exclude<GeneratorEngine, ServerEngine>,
  { directory, threads }: Sampled,
): Promise<Sampler> {
  const mark = runMark(run);
  const factory =
    engine.kind === 'embedded'
      ? embeddedGenerator({ threads, runMark: mark })
      : llamaCppGenerator({ engine, library: await requireLlamaCpp(cacheDirectory), cores: threads, runMark: mark });
  const generator = await factory(directory);
  return { of: () => generator, close: () => generator.close() };
}

async function openServers(
  tools: EngineTools,
  run: string,
  engine: ServerEngine,
  trainer: TrainerEngine,
): Promise<Sampler> {
  let step = 0;
  const log = async (metrics: Partial<ServerMetrics>): Promise<void> => {
    step += 1;
    await (await tools.monitor(run)).log(serverMetrics(step, metrics));
  };
  const servers = new LocalGenerators({
    program: engine.kind === 'vllm' ? vllmProgram(engine) : transformersProgram(engine, trainer),
    logDirectory: join(await tools.scratch(run), 'servers'),
    runMark: tools.runMark(run),
    findBase: (signal) => findBase(tools, trainer, signal),
    // The metrics are for people, so losing some must not end the sampling.
    onMetrics: (metrics) => void log(metrics).catch(() => undefined),
  });
  return { of: (folder) => servers.generator(folder), close: () => servers.close() };
}

/** Returns the local folder of the model that trainings start from, or null. */
function findBase(
  { cacheDirectory }: EngineTools,
  engine: TrainerEngine,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (engine.kind === 'levanter' || engine.base === null) return Promise.resolve(null);
  const { fetchBase, python } = engine.kind === 'pytorch' ? engine : { fetchBase: false, python: 'python3' };
  return weightsFolder(engine.base, fetchBase, { cacheDirectory, python, signal, convertGguf: ggufToFolder });
}

export function openTrainer(tools: EngineTools, run: string, engine: TrainerEngine, threads: number): Trainer {
  const options = {
    threads,
    runMark: tools.runMark(run),
    findBase: (signal: AbortSignal | undefined) => findBase(tools, engine, signal),
  };
  switch (engine.kind) {
    case 'embedded':
      return embeddedTrainer(options);
    case 'pytorch':
      return pytorchTrainer({ ...options, engine });
    case 'levanter':
      // Levanter has activities of its own, on a slice or on one machine: activities/host/train-by-levanter.ts.
      throw new StpError('STP1002', 'Levanter does not train behind this port', 'Update the workers: they disagree.');
  }
}

/** Names metrics in the monitor's form, such as `model_server/requests_running`. */
function serverMetrics(step: number, metrics: Partial<ServerMetrics>): Metric[] {
  const inWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.entries(metrics).map(([name, value]) => ({ name: `model_server/${inWords(name)}`, step, value }));
}
