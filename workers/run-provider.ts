/** Opens the provider of a run's machines, as configured, with the metadata that machines read at their start. */
import { StpError } from '@stp/base';
import type { NodesConfig } from '@stp/config';
import type { providers } from '../infra/cloud/open-provider.ts';
import { runLabel } from '../infra/nodes/names.ts';
import type { RunProvider } from '../infra/nodes/provider.ts';
import { startUpMetadata } from '../infra/nodes/start-up.ts';
import { localRunName } from './settings.ts';
import { temporalAddress } from './temporal-address.ts';

/** @param mode `plan`: missing settings get placeholders, and nothing is sent */
export function runProvider(
  open: ReturnType<typeof providers>,
  config: NodesConfig,
  { run, storeUri }: { readonly run: string; readonly storeUri: string },
  mode: 'plan' | 'send' = 'send',
): RunProvider {
  if (config.provider === 'local')
    throw new StpError('STP1002', 'nodes.provider is local: there are no machines to request', 'Set nodes.provider.');
  const name = localRunName(storeUri, run);
  const addresses = { run, storeUri, temporalAddress: temporalAddress() };
  const metadata = config.provider === 'inventory' ? () => ({}) : startUpMetadata(config, addresses, mode);
  return { provider: open(config, metadata), name, label: runLabel(name) };
}
