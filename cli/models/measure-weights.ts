/** `bin/stp weights show --measure`: opens the engines of this machine that need no server, one after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { printableLine, StpError } from '@stp/base';
import { llamaCppEngine } from '@stp/config';
import {
  type EngineFit,
  embeddedGenerator,
  type Generator,
  llamaCppGenerator,
  measureSampling,
  type SamplingSpeed,
} from '@stp/language-model';
import { installedLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { ENGINE_NAMES } from '../shared/engine-names.ts';
import { ggufFolder } from './gguf.ts';

/** Time limit of one engine's measurement, ms. */
const MEASURE_MS_MAX = 300_000;

export interface MeasuredModel {
  /** Model folder; null if there is none. */
  readonly folder: string | null;
  /** GGUF file; null: llama.cpp gets the folder. */
  readonly gguf: string | null;
  readonly cacheDirectory: string;
}

/** Measures each engine that can sample the model and is here: one sequence, for some seconds. */
export async function measureEngines(
  fits: readonly EngineFit[],
  model: MeasuredModel,
): Promise<Map<EngineFit, SamplingSpeed>> {
  const speeds = new Map<EngineFit, SamplingSpeed>();
  const downloads = await mkdtemp(join(tmpdir(), 'stp-measure-'));
  try {
    for (const fit of fits) {
      if (fit.does !== 'samples' || fit.problem !== null) continue;
      try {
        const speed = await measure(fit, model, downloads);
        if (speed !== null) speeds.set(fit, speed);
      } catch (error) {
        console.error(`${ENGINE_NAMES[fit.engine]} was not measured: ${reasonOf(error)}`);
      }
    }
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
  return speeds;
}

/** Returns null for an engine that is not measured. */
async function measure(fit: EngineFit, model: MeasuredModel, downloads: string): Promise<SamplingSpeed | null> {
  const generator = await openEngine(fit, model, downloads);
  if (generator === null) return null;
  try {
    return await measureSampling(generator, { signal: AbortSignal.timeout(MEASURE_MS_MAX) });
  } finally {
    await generator.close();
  }
}

/** One engine that fails leaves the others' speeds. */
function reasonOf(error: unknown): string {
  if (error instanceof StpError) return printableLine(error.message);
  if (error instanceof DOMException && error.name === 'TimeoutError') return `it took ${MEASURE_MS_MAX / 1_000} s`;
  throw error;
}

/** Returns null for an engine that is not here, or that runs as a server. */
async function openEngine(
  { engine }: EngineFit,
  { folder, gguf, cacheDirectory }: MeasuredModel,
  downloads: string,
): Promise<Generator | null> {
  if (engine === 'embedded') return folder === null ? null : embeddedGenerator({ threads: 1 })(folder);
  if (engine !== 'llama-cpp') return null;
  const installed = await installedLlamaCpp(cacheDirectory);
  if (installed === null) return null;
  const directory = gguf === null ? folder! : await ggufFolder(gguf, downloads);
  const cores = availableParallelism();
  return llamaCppGenerator({ engine: llamaCppEngine({ sequences: 1 }), library: installed.library, cores })(directory);
}
