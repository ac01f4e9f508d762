/** The address of this process's Temporal server, from its environment and configuration file. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

/** Address that Temporal's clients use when no address is configured. */
export const DEFAULT_TEMPORAL_ADDRESS = 'localhost:7233';

export const temporalAddress = (): string =>
  loadClientConnectConfig().connectionOptions.address ?? DEFAULT_TEMPORAL_ADDRESS;
