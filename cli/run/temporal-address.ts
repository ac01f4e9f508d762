/** The address that the Temporal CLI will use, if it can be known without running the CLI. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DEFAULT_TEMPORAL_ADDRESS } from '../../workers/temporal-address.ts';

/** Options with which the CLI finds its settings in another way than we do. */
const UNKNOWN_SOURCES = ['env', 'env-file', 'disable-config-env', 'disable-config-file'];
const LOOPBACK = /^(?:localhost|127\.|\[::1\])/;

/**
 * @param values the CLI's option values, by long name
 * @param given names of the options on the command line
 * @returns null if only the CLI knows the address, or if a proxy may be in between
 */
export function addressOfCommand(values: ReadonlyMap<string, string>, given: ReadonlySet<string>): string | null {
  if (UNKNOWN_SOURCES.some((name) => given.has(name))) return null;
  const [profile, path] = [values.get('profile'), values.get('config-file')];
  const address =
    values.get('address') ??
    loadClientConnectConfig({
      ...(profile !== undefined && { profile }),
      ...(path !== undefined && { configSource: { path } }),
    }).connectionOptions.address ??
    DEFAULT_TEMPORAL_ADDRESS;
  const { HTTPS_PROXY, https_proxy } = process.env;
  return (HTTPS_PROXY ?? https_proxy ?? '') === '' || LOOPBACK.test(address) ? address : null;
}
