/**
 * The metadata server of a Google machine, as far as credentials and start-up scripts read it: project, token of the
 * service account, instance attributes. Like the real one it refuses requests without the header `Metadata-Flavor`.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeMetadata {
  /** `127.0.0.1:PORT`, for GCE_METADATA_HOST. */
  readonly host: string;
  /** Variables of a program that gets its credentials here. Without the second one it would give up after 3 s. */
  readonly environment: { readonly GCE_METADATA_HOST: string; readonly METADATA_SERVER_DETECTION: 'assume-present' };
  /** The token that a request must carry to a fake API. */
  readonly token: string;
  /** Paths of all requests so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface MetadataOptions {
  readonly project?: string;
  /** `instance/attributes/NAME`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Other paths under `instance/`: `name`, `zone` … */
  readonly instance?: Readonly<Record<string, string>>;
}

const ROOT = '/computeMetadata/v1/';
const TOKEN_SECONDS = 3_600;

export async function startFakeMetadata(options: MetadataOptions = {}): Promise<FakeMetadata> {
  const { project = 'test-project', attributes = {}, instance = {} } = options;
  const token = 'token-of-the-metadata-server';
  const requests: string[] = [];
  const values: Record<string, string> = {
    'project/project-id': project,
    'instance/service-accounts/default/email': `worker@${project}.iam.gserviceaccount.com`,
    'instance/service-accounts/default/token': JSON.stringify({
      access_token: token,
      expires_in: TOKEN_SECONDS,
      token_type: 'Bearer',
    }),
    'instance/service-accounts/': 'default/\n',
    'universe/universe-domain': 'googleapis.com',
    ...Object.fromEntries(Object.entries(instance).map(([key, value]) => [`instance/${key}`, value])),
    ...Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`instance/attributes/${key}`, value])),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    requests.push(url.pathname);
    response.setHeader('metadata-flavor', 'Google');
    if (request.headers['metadata-flavor'] !== 'Google')
      return void response.writeHead(403).end('Missing Metadata-Flavor:Google header.');
    const path = url.pathname.startsWith(ROOT) ? url.pathname.slice(ROOT.length) : null;
    // Clients request these to test whether they run on such a machine.
    if (url.pathname === '/' || path === 'instance' || path === '')
      return void response.writeHead(200).end('instance/\n');
    const value = path === null ? undefined : values[path];
    if (value === undefined) return void response.writeHead(404).end('Not Found');
    response.writeHead(200, { 'content-type': value.startsWith('{') ? 'application/json' : 'application/text' });
    response.end(value);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    environment: { GCE_METADATA_HOST: host, METADATA_SERVER_DETECTION: 'assume-present' },
    token,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
