/**
 * Workers on machines of an inventory: copies and unpacks the bundle, starts a worker for every slot, and ends the
 * workers. Existing bundles and workers are left unchanged, so a second start changes nothing.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { InventoryHost } from './inventory.ts';
import { hostQueue } from './names.ts';
import { quoted, type RemoteResult, shellOnHost } from './ssh.ts';

/** Folder of the worker, below the home folder of the machine's user. */
const FOLDER = '.stp-selfplay';
const COPY_TIMEOUT_MS = 30 * 60_000;
const COMMAND_TIMEOUT_MS = 120_000;
const HASH_DIGITS = 16;

export interface HostResult {
  readonly host: string;
  /** Null: it succeeded. */
  readonly problem: string | null;
}

export interface StartOptions {
  /** The worker's archive on this machine (`bin/stp nodes bundle`); null if the machines have it already. */
  readonly bundleFile: string | null;
  /**
   * Environment of every worker, in addition to its queue. It is sent through standard input into a file that only the
   * user can read.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly onProgress: (line: string) => void;
}

/** Starts workers on all hosts at once; a failing host does not affect the others. */
export async function startWorkers(hosts: readonly InventoryHost[], options: StartOptions): Promise<HostResult[]> {
  const { bundleFile, onProgress } = options;
  const sha256 = bundleFile === null ? null : await sha256Of(bundleFile);
  return Promise.all(
    hosts.map(async (host) => {
      const problem = await firstProblem([
        ...(bundleFile === null || sha256 === null ? [] : [() => installBundle(host, bundleFile, sha256, onProgress)]),
        ...Array.from({ length: host.slots }, (_, slot) => () => startWorker(host, slot, options)),
      ]);
      if (problem === null) onProgress(`${host.name}: ${host.slots} worker${host.slots === 1 ? '' : 's'} up`);
      return { host: host.name, problem };
    }),
  );
}

/** Ends the workers and all processes that they started. The bundle stays. */
export async function stopWorkers(
  hosts: readonly InventoryHost[],
  onProgress: (line: string) => void,
): Promise<HostResult[]> {
  return Promise.all(
    hosts.map(async (host) => {
      const problem = await firstProblem(
        Array.from(
          { length: host.slots },
          (_, slot) => () => shellOnHost(host, stopLine(host, slot), { timeoutMs: COMMAND_TIMEOUT_MS }),
        ),
      );
      if (problem === null) onProgress(`${host.name}: down`);
      return { host: host.name, problem };
    }),
  );
}

async function firstProblem(steps: readonly (() => Promise<RemoteResult>)[]): Promise<string | null> {
  for (const step of steps) {
    const { exitCode, output, isUnreachable, timedOut } = await step();
    if (isUnreachable) return `cannot be reached: ${lastLine(output)}`;
    if (timedOut) return 'took too long';
    if (exitCode !== 0) return `code ${exitCode}: ${lastLine(output)}`;
  }
  return null;
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1)?.slice(0, 500) ?? '';

/** Copies the archive once and checks its checksum before unpacking it. */
async function installBundle(
  host: InventoryHost,
  bundleFile: string,
  sha256: string,
  onProgress: (line: string) => void,
): Promise<RemoteResult> {
  const name = `worker-${sha256.slice(0, HASH_DIGITS)}`;
  const inFolder = `cd "$HOME" && mkdir -p ${FOLDER} && cd ${FOLDER}`;
  const link = `ln -sfn ${name} worker`;
  const there = await shellOnHost(host, `${inFolder} && test -d ${name} && ${link}`, { timeoutMs: COMMAND_TIMEOUT_MS });
  if (there.exitCode === 0 || there.isUnreachable) return there;
  onProgress(`${host.name}: copying the worker`);
  const unpack = [
    inFolder,
    `cat > ${name}.tar.gz`,
    `echo ${quoted(`${sha256}  ${name}.tar.gz`)} | sha256sum -c - > /dev/null`,
    `rm -rf ${name}.partial && mkdir ${name}.partial`,
    `tar -xzf ${name}.tar.gz -C ${name}.partial`,
    `mv ${name}.partial ${name} && rm ${name}.tar.gz && ${link}`,
  ].join(' && ');
  return shellOnHost(host, `set -e; ${unpack}`, { timeoutMs: COPY_TIMEOUT_MS, input: createReadStream(bundleFile) });
}

/** Starts a worker in its own session, so that it outlives this one. It is later ended by its process group. */
async function startWorker(host: InventoryHost, slot: number, options: StartOptions): Promise<RemoteResult> {
  const files = `worker-${host.name}-${slot}`;
  const isUp = `group="$(cat ${files}.pid 2> /dev/null)" && ${isOurGroup(host, slot)}`;
  const start = [
    'set -a',
    `. "$PWD/${files}.env"`,
    'set +a',
    'cd worker',
    `setsid node_modules/node/bin/node workers/host.ts >> ../${files}.log 2>&1 < /dev/null & echo $! > ../${files}.pid`,
  ].join('; ');
  const line = `umask 077; mkdir -p "$HOME/${FOLDER}" && cd "$HOME/${FOLDER}" || exit 1; cat > ${files}.env; test -d worker || { echo 'no worker is installed: give --bundle' >&2; exit 1; }; ${isUp} || ( ${start} )`;
  const environment = { ...options.environment, STP_HOST_QUEUE: hostQueue(host.name, slot) };
  const input = Object.entries(environment)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
  return shellOnHost(host, line, { timeoutMs: COMMAND_TIMEOUT_MS, input });
}

/** Returns shell text that asks the group to end, and kills it after ten seconds. */
function stopLine(host: InventoryHost, slot: number): string {
  const pid = `worker-${host.name}-${slot}.pid`;
  return [
    `cd "$HOME/${FOLDER}" 2> /dev/null || exit 0`,
    `test -f ${pid} || exit 0`,
    `group="$(cat ${pid})"`,
    `if ${isOurGroup(host, slot)}; then kill -s TERM -- "-$group" 2> /dev/null`,
    'for turn in 1 2 3 4 5 6 7 8 9 10; do kill -s 0 -- "-$group" 2> /dev/null || break; sleep 1; done',
    'kill -s KILL -- "-$group" 2> /dev/null; fi',
    `rm -f ${pid}`,
  ].join('; ');
}

/**
 * Returns a shell condition: does the process group `$group` exist, and is it this slot's worker? After a reboot
 * another process may have its number. The queue of the group's first process decides; if only its children are left,
 * the group is ours.
 */
function isOurGroup(host: InventoryHost, slot: number): string {
  const queue = quoted(`STP_HOST_QUEUE=${hostQueue(host.name, slot)}`);
  const first = '"/proc/$group/environ"';
  return `{ kill -s 0 -- "-$group" 2> /dev/null && { ! test -e ${first} || tr '\\0' '\\n' < ${first} 2> /dev/null | grep -qxF ${queue}; }; }`;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
