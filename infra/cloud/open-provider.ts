/** Opens the provider named in a configuration. Cloud clients are made at their first call and shared by all runs. */
import type { NodesConfig } from '@stp/config';
import { inventoryProvider } from '../nodes/inventory.ts';
import type { Metadata, NodeProvider } from '../nodes/provider.ts';
import { googleComputeApi } from './compute/google-api.ts';
import { gpuProvider } from './compute/provider.ts';
import { googleTpuApi } from './tpu/google-api.ts';
import { tpuProvider } from './tpu/provider.ts';

/**
 * STP_TPU_ENDPOINT and STP_COMPUTE_ENDPOINT (`http://host:port`) name other servers with the same APIs, for tests.
 *
 * @param metadata metadata that a machine reads at its start (`start-up.ts`)
 */
export function providers(
  environment: NodeJS.ProcessEnv = process.env,
): (config: Exclude<NodesConfig, { provider: 'local' }>, metadata: Metadata) => NodeProvider {
  const tpu = googleTpuApi(environment.STP_TPU_ENDPOINT);
  const compute = googleComputeApi(environment.STP_COMPUTE_ENDPOINT);
  return (config, metadata) => {
    switch (config.provider) {
      case 'tpu':
        return tpuProvider(config, tpu, metadata);
      case 'gpu':
        return gpuProvider(config, compute, metadata);
      case 'inventory':
        return inventoryProvider(config);
    }
  };
}
