/**
 * The metadata that a cloud machine reads at its start: the start-up script, and the settings of the worker that it
 * installs.
 */
import { StpError } from '@stp/base';
import type { CloudConfig } from '@stp/config';
import { startupMetadata } from '../bootstrap/script.ts';
import type { Metadata } from './provider.ts';

export interface StartUpAddresses {
  /** The run's name in its store. */
  readonly run: string;
  /** Folder of runs. */
  readonly storeUri: string;
  /** Temporal server of the worker that requests the machines. */
  readonly temporalAddress: string;
}

/** Placeholders for missing settings, in plans only: a request with them is never sent. */
const MISSING = {
  storeUri: 'gs://BUCKET/PREFIX',
  bundleUri: 'gs://BUCKET/bundles/WORKER.tar.gz',
  sha256: '0'.repeat(64),
  address: 'TEMPORAL_HOST:7233',
};
const THIS_MACHINE = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1)/;

/**
 * Returns the metadata of every machine of the run. In mode `plan` missing settings get placeholders. Otherwise throws
 * STP1602, which names what a remote machine needs: a bucket, a bundle, a reachable Temporal server.
 */
export function startUpMetadata(config: CloudConfig, addresses: StartUpAddresses, mode: 'plan' | 'send'): Metadata {
  const { bundle, bundleSha256, temporalAddress, temporalNamespace, secrets, provider } = config;
  const address = temporalAddress ?? addresses.temporalAddress;
  const storeUri = addresses.storeUri.startsWith('gs://') ? addresses.storeUri : null;
  const reachable = THIS_MACHINE.test(address) ? null : address;
  return () => {
    if (mode === 'send') requireAll({ storeUri, bundle, bundleSha256, reachable });
    return startupMetadata({
      kind: provider,
      run: addresses.run,
      storeUri: storeUri ?? MISSING.storeUri,
      bundle: { uri: bundle ?? MISSING.bundleUri, sha256: bundleSha256 ?? MISSING.sha256 },
      temporal: { address: reachable ?? MISSING.address, namespace: temporalNamespace },
      secrets,
    });
  };
}

/** Returns the settings that a plan lacks, for people; empty if the requests could be sent. */
export function missingForStartUp(config: CloudConfig, addresses: StartUpAddresses): string[] {
  const address = config.temporalAddress ?? addresses.temporalAddress;
  return [
    ...(addresses.storeUri.startsWith('gs://') ? [] : ['a store that nodes reach: STP_STORE=gs://bucket/prefix']),
    ...(config.bundle === null || config.bundleSha256 === null
      ? ['the worker’s bundle: nodes.bundle and nodes.bundleSha256, made by `bin/stp nodes bundle`']
      : []),
    ...(THIS_MACHINE.test(address)
      ? ['a Temporal server that nodes reach: nodes.temporalAddress or TEMPORAL_ADDRESS']
      : []),
  ];
}

function requireAll(values: Readonly<Record<string, string | null>>): void {
  const missing = Object.entries(values).find(([, value]) => value === null)?.[0];
  if (missing === undefined) return;
  const what: Readonly<Record<string, string>> = {
    storeUri: 'the store is a folder of this machine, which nodes cannot reach',
    bundle: 'nodes.bundle is not set, so nodes have no worker to install',
    bundleSha256: 'nodes.bundleSha256 is not set, so nodes cannot tell a damaged worker',
    reachable: 'the Temporal server is on localhost, which nodes cannot reach',
  };
  throw new StpError(
    'STP1602',
    what[missing] ?? missing,
    'Set STP_STORE=gs://…, nodes.bundle with nodes.bundleSha256 (bin/stp nodes bundle), and nodes.temporalAddress.',
  );
}
