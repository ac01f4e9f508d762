/** The address of this process's Temporal server, from its environment and configuration file. */
import { loadClientConnectConfig } from '@temporalio/envconfig';

export const temporalAddress = (): string => loadClientConnectConfig().connectionOptions.address ?? 'localhost:7233';
