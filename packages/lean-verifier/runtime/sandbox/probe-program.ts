/**
 * The program that the probe runs inside the sandbox. It uses Node alone. It tries actions that must fail and prints
 * the results as one line of JSON, which `probe.ts` judges outside. Run outside any sandbox, every action succeeds.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The attempts to make, passed on the command line as JSON. */
interface Attempts {
  readonly secretFile: string;
  readonly port: number;
  /** Files that must not appear outside. Inside, their folders may be private ones with the same names. */
  readonly forbiddenFiles: readonly string[];
  /** Folder to which a compiler would write its module. Here a file must appear. */
  readonly writableFolder: string;
  /** How long the child that leaves our session lives, s. */
  readonly childSeconds: number;
}

const attempts = JSON.parse(process.argv[2]!) as Attempts;
const NAMESPACES = ['user', 'pid', 'net', 'ipc', 'uts', 'mnt'];
const CONNECT_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Tests whether a file can be written, and removes it. */
function write(folder: string): boolean {
  const path = `${folder}/stp-probe-${process.pid}`;
  return succeeds(() => {
    writeFileSync(path, '');
    rmSync(path);
  });
}

/** Names of all environment variables that can be read from any process. */
function readableVariables(): string[] {
  const texts = processes().map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      return '';
    }
  });
  const names = texts.flatMap((text) => text.split('\0').map((entry) => entry.split('=', 1)[0]!));
  return [...new Set([...names, ...Object.keys(process.env)])].filter((name) => name !== '');
}

const processes = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

function reaches(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_TIMEOUT_MS });
    const end = (reached: boolean) => (): void => {
      socket.destroy();
      resolve(reached);
    };
    socket.on('connect', end(true)).on('error', end(false)).on('timeout', end(false));
  });
}

const child = spawn('/bin/sh', ['-c', `sleep ${attempts.childSeconds}`], { detached: true, stdio: 'ignore' });
for (const path of attempts.forbiddenFiles) succeeds(() => writeFileSync(path, ''));
child.on('error', () => undefined);
child.unref();
const report = {
  readSecret: succeeds(() => readFileSync(attempts.secretFile)),
  environment: readableVariables(),
  namespaces: Object.fromEntries(NAMESPACES.map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)])),
  reachedServer: await reaches(attempts.port),
  interfaces: Object.keys(networkInterfaces()).filter((name) => name !== 'lo'),
  written: ['/', '/dev/shm', '/usr/bin', '/proc/sys/kernel'].filter(write),
  wroteToPrivate: write('/tmp'),
  wroteToWritable: write(attempts.writableFolder),
  processes: processes().length,
  startedChild: child.pid !== undefined,
  seccomp: Number(/^Seccomp:\s+(\d)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0),
};
// The probe outside searches for the child while all of this is still running.
writeFileSync(`${attempts.writableFolder}/ready`, '');
while (!existsSync(`${attempts.writableFolder}/go-on`)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
process.stdout.write(`${JSON.stringify(report)}\n`);
