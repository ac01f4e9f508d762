/**
 * The engines that sample and train on this machine, chosen by each run's configuration (`engines`). One engine works
 * at a time: runs on the same machine alternate, and a training waits for the current samples. Servers in
 * STP_GENERATOR_URL are on other machines and do not take part in this.
 */
import { StpError } from '@stp/base';
import { type EnginesConfig, enginesConfigSchema } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { type RemoteOptions, readServedModel } from '@stp/language-model';
import { z } from 'zod';
import type { Ports } from '../activities/ports.ts';
import { type EngineTools, openSampler, openTrainer, type Sampled, samplerKey } from './open-engine.ts';
import { remoteGenerators } from './remote-generators.ts';
import { type Sampler, WarmSampler } from './warm-sampler.ts';

/** The part of a run's stored configuration that this file reads. */
const storedSchema = z.looseObject({ engines: enginesConfigSchema.prefault({}) });
const CONFIG_FILE = 'config.json';

export interface EnginesOptions extends EngineTools {
  readonly modelServer: RemoteOptions | null;
  readonly store: (run: string) => Promise<ObjectStore>;
}

export interface Engines extends Pick<Ports, 'generator' | 'trainer' | 'alone'> {
  /** Ends the warm engines of runs that `isOf` selects. */
  release(isOf: (run: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export function openEngines({ modelServer, store, ...tools }: EnginesOptions): Engines {
  const remote = modelServer === null ? null : remoteGenerators(modelServer);
  const enginesOf = storedEngines(store);
  const warm = new WarmSampler();
  const samplerOf = async (run: string, sampled: Sampled): Promise<Sampler> => {
    const engines = await enginesOf(run);
    return warm.take(run, samplerKey(run, engines, sampled), () => openSampler(tools, run, engines, sampled));
  };
  return {
    async generator(run, directory, threads, signal) {
      if (remote !== null) return remote.generator(directory, signal);
      await requireWeightsHere(directory);
      const generator = async () => (await samplerOf(run, { directory, threads })).of(directory);
      return {
        sample: (...request) => warm.exclusive(async () => (await generator()).sample(...request)),
        embed: (...request) => warm.exclusive(async () => (await generator()).embed(...request)),
      };
    },
    trainer: (run, threads) => ({
      train: (request, options) =>
        warm.alone(async () =>
          openTrainer(tools, run, (await enginesOf(run)).trainer, threads).train(request, options),
        ),
    }),
    alone: (work) => warm.alone(work),
    release: (isOf) => warm.release(isOf),
    async close() {
      await warm.close();
      await remote?.close();
    },
  };
}

/** Reads each run's choice once, since a run's configuration never changes. */
function storedEngines(store: EnginesOptions['store']): (run: string) => Promise<EnginesConfig> {
  const known = new Map<string, EnginesConfig>();
  return async (run) => {
    const before = known.get(run);
    if (before !== undefined) return before;
    const files = await store(run);
    const ref = await files.stat(CONFIG_FILE);
    if (ref === null) return enginesConfigSchema.parse({});
    const { engines } = storedSchema.parse(JSON.parse((await files.get(ref)).toString('utf8')));
    known.set(run, engines);
    return engines;
  };
}

/** Throws STP1304 if only a server has the weights of the checkpoint. */
async function requireWeightsHere(directory: string): Promise<void> {
  const elsewhere = await readServedModel(directory);
  if (elsewhere !== null)
    throw new StpError(
      'STP1304',
      `the weights of ${elsewhere.name} are with a server only, and this worker knows none`,
      'Set STP_GENERATOR_URL for the workers that sample.',
    );
}
