/** Requires the engine that samples a run here, before anything starts. */
import type { RunConfig } from '@stp/config';
import { requireLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { workerSettings } from '../../workers/settings.ts';

/** Throws STP1301 if llama.cpp samples, no server is named, and llama.cpp is not installed. */
export async function requireEngine({ engines }: RunConfig): Promise<void> {
  const { cacheDirectory, modelServer } = workerSettings();
  if (engines.generator.kind === 'llama-cpp' && modelServer === null) await requireLlamaCpp(cacheDirectory);
}
