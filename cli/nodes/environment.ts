/**
 * The environment of workers on an inventory's machines, taken from the shell that starts them: its Temporal server
 * with certificates and keys, its store, and the variables that the command names.
 */

import { StpError } from '@stp/base';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { workerSettings } from '../../workers/settings.ts';
import { temporalAddress } from '../../workers/temporal-address.ts';

/** @param named `NAME=VALUE`, or `NAME` for its value in this shell */
export function workerEnvironment(named: readonly string[]): Record<string, string> {
  const { namespace, connectionOptions } = loadClientConnectConfig();
  const { apiKey, tls } = connectionOptions;
  const told: Record<string, string | undefined> = {
    TEMPORAL_ADDRESS: temporalAddress(),
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_API_KEY: typeof apiKey === 'string' ? apiKey : undefined,
    ...tlsVariables(tls),
    STP_STORE: workerSettings().storeUri,
    STP_GCS_ENDPOINT: process.env.STP_GCS_ENDPOINT,
  };
  for (const text of named) {
    const [name, ...value] = text.split('=') as [string, ...string[]];
    told[name] = value.length > 0 ? value.join('=') : valueHere(name);
  }
  return Object.fromEntries(Object.entries(told).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function valueHere(name: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  throw new StpError(
    'STP1002',
    `--env ${name}: this shell has no such variable`,
    `Set ${name}, or write ${name}=VALUE.`,
  );
}

/** Returns the contents of certificates and keys, because the files are only on this machine. */
function tlsVariables(
  tls: ReturnType<typeof loadClientConnectConfig>['connectionOptions']['tls'],
): Record<string, string | undefined> {
  if (tls === undefined || tls === null || tls === false) return {};
  if (tls === true) return { TEMPORAL_TLS: 'true' };
  const text = (bytes: Uint8Array | undefined): string | undefined =>
    bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  return {
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_SERVER_NAME: tls.serverNameOverride,
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: text(tls.serverRootCACertificate),
    TEMPORAL_TLS_CLIENT_CERT_DATA: text(tls.clientCertPair?.crt),
    TEMPORAL_TLS_CLIENT_KEY_DATA: text(tls.clientCertPair?.key),
  };
}
