/**
 * Matches this machine's names in a request's `Host`. Web pages with other names must not reach a server without keys.
 */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/iu;

export const isLoopbackHost = (host: string | undefined): boolean => LOOPBACK_HOST.test(host ?? '');
