/**
 * Replaces Google's server by another one, in the form that the client libraries expect: for tests against servers of
 * our own.
 */

export interface ServerOptions {
  readonly apiEndpoint: string;
  readonly port: number;
  readonly protocol: string;
}

/** Returns options for `http://host:port`; empty for Google's servers. */
export function parseEndpoint(endpoint: string | undefined): ServerOptions | Record<string, never> {
  if (endpoint === undefined) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  return {
    apiEndpoint: hostname,
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    protocol: protocol.slice(0, -1),
  };
}
