/** Address of the Temporal server that this process talks to, as its environment and configuration file say. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

export const temporalAddress = (): string => loadClientConnectConfig().connectionOptions.address ?? 'localhost:7233';
