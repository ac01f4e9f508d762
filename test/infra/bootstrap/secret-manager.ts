/**
 * A stand-in for Secret Manager over loopback, for start-up scripts: gives secrets to every holder of the node's token.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SecretManager {
  /** For STP_SECRETS_ENDPOINT. */
  readonly endpoint: string;
  /** Names of the secrets that were read. */
  readonly read: readonly string[];
  close(): Promise<void>;
}

/** `secrets`: by full name, `projects/P/secrets/S/versions/V`. */
export async function startSecretManager(
  token: string,
  secrets: Readonly<Record<string, string>>,
): Promise<SecretManager> {
  const read: string[] = [];
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) => void response.writeHead(status).end(JSON.stringify(body));
    const name = /^\/v1\/(.+):access$/.exec(request.url ?? '')?.[1] ?? '';
    if (request.headers.authorization !== `Bearer ${token}`)
      return answer(401, { error: { status: 'UNAUTHENTICATED' } });
    const secret = secrets[name];
    if (secret === undefined) return answer(403, { error: { status: 'PERMISSION_DENIED' } });
    read.push(name);
    return answer(200, { name, payload: { data: Buffer.from(secret).toString('base64') } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    read,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
