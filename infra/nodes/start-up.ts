/**
 * The metadata that a cloud machine reads at its start: the start-up script and the settings of the worker that it
 * installs.
 */
import { StpError } from '@stp/base';
import type { CloudConfig } from '@stp/config';
import { startupMetadata } from '../bootstrap/script.ts';
import type { Metadata } from './provider.ts';

export interface StartUpPlaces {
  /** The run as it is called in its store. */
  readonly run: string;
  /** Folder of runs. */
  readonly storeUri: string;
  /** Temporal server of the worker that asks for the machines. */
  readonly temporalAddress: string;
}

/** Stand-ins for what is not said yet, in plans: a request with them is never sent. */
const MISSING = {
  storeUri: 'gs://BUCKET/PREFIX',
  bundleUri: 'gs://BUCKET/bundles/WORKER.tar.gz',
  sha256: '0'.repeat(64),
  address: 'TEMPORAL_HOST:7233',
};
const THIS_MACHINE = /^(?:localhost|127\.|0\.0\.0\.0|\[?::1)/;

/**
 * The metadata of every machine of the run. With `plan` what is missing gets a stand-in; otherwise STP1602 says what a
 * machine far away needs: a bucket, a bundle, a Temporal server that it can reach.
 */
export function startUpMetadata(config: CloudConfig, places: StartUpPlaces, mode: 'plan' | 'send'): Metadata {
  const { bundle, bundleSha256, temporalAddress, temporalNamespace, secrets, provider } = config;
  const address = temporalAddress ?? places.temporalAddress;
  const storeUri = places.storeUri.startsWith('gs://') ? places.storeUri : null;
  const reachable = THIS_MACHINE.test(address) ? null : address;
  return () => {
    if (mode === 'send') requireAll({ storeUri, bundle, bundleSha256, reachable });
    return startupMetadata({
      kind: provider,
      run: places.run,
      storeUri: storeUri ?? MISSING.storeUri,
      bundle: { uri: bundle ?? MISSING.bundleUri, sha256: bundleSha256 ?? MISSING.sha256 },
      temporal: { address: reachable ?? MISSING.address, namespace: temporalNamespace },
      secrets,
    });
  };
}

/** Returns what a plan must still be told, for people; empty if the requests could go out as they are. */
export function missingForStartUp(config: CloudConfig, places: StartUpPlaces): string[] {
  const address = config.temporalAddress ?? places.temporalAddress;
  return [
    ...(places.storeUri.startsWith('gs://') ? [] : ['a store that nodes reach: STP_STORE=gs://bucket/prefix']),
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
