/**
 * Temporal's own server on PostgreSQL: builds it once from the Go module proxy, with its schema tool; makes its
 * configuration with mutual TLS, its schema and its search attributes.
 */
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '@stp/base/files';
import { execa } from 'execa';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import type { Certificates } from './certificates.ts';
import { BUILDS } from './places.ts';

const MODULE = 'go.temporal.io/server';
const VERSION = '1.30.0';
/** Oldest Go that this version of the module accepts. */
export const GO_VERSION = '1.25.5';
const BUILD_TIMEOUT_MS = 3_600_000;

export const TEMPORAL_PORT = 7233;
export const POSTGRES_PORT = 5432;
export const SERVER_NAME = 'temporal.rehearsal';

export interface TemporalBuild {
  readonly version: string;
  readonly server: string;
  readonly sqlTool: string;
  /** Folder of the schemas of PostgreSQL 12 and later. */
  readonly schema: string;
}

export const isBuilt = (): Promise<boolean> => isThere(join(BUILDS, VERSION));

export async function temporalBuild(onProgress: (line: string) => void): Promise<TemporalBuild> {
  const folder = join(BUILDS, VERSION);
  const build = {
    version: VERSION,
    server: join(folder, 'server'),
    sqlTool: join(folder, 'sql'),
    schema: join(folder, 'schema'),
  };
  if (await isBuilt()) return build;
  onProgress(`building Temporal's server ${VERSION} (some minutes, once)`);
  const staging = `${folder}.${process.pid}.partial`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const go = (...words: string[]) =>
    execa('nice', ['go', ...words], {
      cwd: staging,
      timeout: BUILD_TIMEOUT_MS,
      env: { CGO_ENABLED: '0', GOFLAGS: '' },
    });
  const programs = [`${MODULE}/cmd/server`, `${MODULE}/cmd/tools/sql`];
  await go('mod', 'init', 'rehearsal');
  await go('get', '-tool', ...programs.map((program) => `${program}@v${VERSION}`));
  await go('build', '-trimpath', '-ldflags', '-s -w', '-o', `${staging}/`, ...programs);
  const { stdout } = await go('list', '-m', '-f', '{{.Dir}}', MODULE);
  await cp(join(stdout.trim(), 'schema/postgresql/v12'), join(staging, 'schema'), { recursive: true });
  await execa('chmod', ['-R', 'u+w', join(staging, 'schema')]);
  await rename(staging, folder);
  return build;
}

export interface ServerSetup {
  readonly address: string;
  readonly postgresPassword: string;
  readonly certificates: Certificates;
}

/** Writes the configuration as JSON, which is valid YAML. */
export async function writeServerConfig(
  path: string,
  { address, postgresPassword, certificates }: ServerSetup,
): Promise<void> {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${address}:${POSTGRES_PORT}`,
      connectProtocol: 'tcp',
      user: 'temporal',
      password: postgresPassword,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const rpc = (grpcPort: number, membershipPort: number) => ({ rpc: { grpcPort, membershipPort, bindOnIP: address } });
  const client = { serverName: SERVER_NAME, rootCaFiles: [certificates.authority] };
  const pair = { certFile: certificates.server.certificate, keyFile: certificates.server.key };
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: address },
      tls: {
        frontend: { server: { ...pair, requireClientAuth: true, clientCaFiles: [certificates.authority] }, client },
        systemWorker: { ...pair, client },
      },
    },
    services: {
      frontend: rpc(TEMPORAL_PORT, 6933),
      matching: rpc(7235, 6935),
      history: rpc(7234, 6934),
      worker: rpc(7239, 6939),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `${address}:${TEMPORAL_PORT}`,
        },
      },
    },
    publicClient: { hostPort: `${address}:${TEMPORAL_PORT}` },
    dcRedirectionPolicy: { policy: 'noop' },
  };
  await writeFile(path, JSON.stringify(config, null, 2), { mode: 0o600 });
}

/** Returns the calls of the schema tool for each database, in order. */
export function schemaSteps(schema: string): readonly (readonly string[])[] {
  return (
    [
      ['temporal', 'temporal'],
      ['temporal_visibility', 'visibility'],
    ] as const
  ).flatMap(([database, folder]) => [
    ['--database', database, 'create-database'],
    ['--database', database, 'setup-schema', '--version', '0.0'],
    ['--database', database, 'update-schema', '--schema-dir', join(schema, folder, 'versioned')],
  ]);
}

/** Calls of the stock command line, in order: the namespace, then the search attributes that our workflows set. */
export const namespaceSteps: readonly (readonly string[])[] = [
  ['operator', 'namespace', 'create', '--namespace', 'default', '--retention', '72h'],
  ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [
    ...['operator', 'search-attribute', 'create', '--namespace', 'default', '--name', name, '--type', type],
  ]),
];
