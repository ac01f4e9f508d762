/**
 * A machine of a rehearsal: an address, a disk of limited size, and processes that see only each other. It runs an ssh
 * server and other programs. Killing it ends all processes at once and keeps the disk.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, createWriteStream, fstatSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeBytesOf, listProcesses, residentBytes } from '@stp/base/files';
import { execa, type Options } from 'execa';
import { REPOSITORY } from '../../workers/settings.ts';
import { namespaceOf } from './network.ts';
import { CACHE_FOLDER, SEEN_CACHE, SEEN_REPOSITORY, STATE } from './places.ts';

/** The user that workers run as. */
export const WORKER_USER = 'prover';
const WORKER_ID = 61_077;
const STARTED_POLLS_MAX = 600;
const POLL_MS = 100;

export interface Keys {
  /** Public key that may log in. */
  readonly authorised: string;
  /** Private key of every machine's ssh server. */
  readonly hostKey: string;
}

/** Offset of a machine's clock from the others', in libfaketime's form. */
export interface Clock {
  readonly library: string;
  readonly offset: string;
}

export class Machine {
  readonly name: string;
  readonly address: string;
  readonly disk: string;
  readonly #logs: string;
  readonly #keys: Keys;
  readonly #hosts: string;
  #init: number | null = null;
  #shell: ChildProcess | null = null;

  constructor(name: string, address: string, paths: { logs: string; keys: Keys; hosts: string }) {
    this.name = name;
    this.address = address;
    this.disk = join(STATE, 'disks', name);
    this.#logs = paths.logs;
    this.#keys = paths.keys;
    this.#hosts = paths.hosts;
  }

  get isUp(): boolean {
    return this.#init !== null;
  }

  /** Makes an empty disk. */
  async makeDisk(megabytes: number): Promise<void> {
    await mkdir(this.disk, { recursive: true });
    await execa('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', this.disk]);
    for (const folder of ['home', `home/${WORKER_USER}`, 'root', 'root/.ssh', 'tmp', 'etc'])
      await mkdir(join(this.disk, folder), { recursive: true });
    await chmod(join(this.disk, 'tmp'), 0o1777);
    await chmod(join(this.disk, 'root/.ssh'), 0o700);
    await chown(join(this.disk, 'home', WORKER_USER), WORKER_ID, WORKER_ID);
    const etc = (name: string, text: string, mode = 0o644) => writeFile(join(this.disk, 'etc', name), text, { mode });
    const [passwd, group] = [await readFile('/etc/passwd', 'utf8'), await readFile('/etc/group', 'utf8')];
    await etc('passwd', `${passwd}${WORKER_USER}:x:${WORKER_ID}:${WORKER_ID}::/home/${WORKER_USER}:/bin/sh\n`);
    await etc('group', `${group}${WORKER_USER}:x:${WORKER_ID}:\n`);
    await etc('shadow', `root:*:19000:0:99999:7:::\n${WORKER_USER}:*:19000:0:99999:7:::\n`, 0o600);
    await etc('hosts', this.#hosts);
    await etc('host_key', this.#keys.hostKey, 0o600);
    await etc('authorized_keys', this.#keys.authorised);
    await etc('boot.sh', this.#bootScript());
  }

  /** Starts the machine and waits until its ssh server listens. */
  async boot(clock: Clock | null = null): Promise<void> {
    await writeFile(join(this.disk, 'etc/sshd_config'), this.#sshConfig(clock));
    const logPath = join(this.#logs, `${this.name}.machine.log`);
    const log = openSync(logPath, 'a');
    const { size } = fstatSync(log);
    const unshare = ['unshare', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child'];
    const network = `--net=/run/netns/${namespaceOf(this.name)}`;
    this.#shell = spawn('nsenter', [network, ...unshare, '/bin/sh', join(this.disk, 'etc/boot.sh')], {
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    for (let poll = 0; poll < STARTED_POLLS_MAX && this.#shell.exitCode === null; poll += 1) {
      if ((await readFile(logPath)).subarray(size).includes('Server listening on')) {
        [this.#init] = (await childrenOf(this.#shell.pid!)) as [number];
        return;
      }
      await sleep(POLL_MS);
    }
    throw new Error(`machine ${this.name} did not start: see ${this.#logs}/${this.name}.machine.log`);
  }

  /** Ends every process, like a power cut; the disk stays. */
  async kill(): Promise<void> {
    if (this.#init === null) return;
    const gone = new Promise((resolve) => this.#shell!.once('exit', resolve));
    process.kill(this.#init, 'SIGKILL');
    this.#init = null;
    await gone;
  }

  /** Runs a command on the machine as root, without ssh. */
  run(file: string, args: readonly string[], options: Options = {}) {
    return execa('nsenter', [...this.#enter(), file, ...args], options);
  }

  /** Starts a long process on the machine, with its own log. */
  service(
    name: string,
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    cwd = '/',
  ): Service {
    return new Service(() => {
      const out = createWriteStream(join(this.#logs, `${this.name}.${name}.log`), { flags: 'a' });
      const child = spawn('nsenter', [...this.#enter(), 'env', '-C', cwd, '--', file, ...args], {
        env: { PATH: process.env.PATH, HOME: '/root', LANG: 'C.UTF-8', ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child.stdout.pipe(out, { end: false });
      child.stderr.pipe(out, { end: false });
      return child;
    });
  }

  /** Returns the pids, as the host sees them, of the machine's processes whose command line matches. */
  async pids(command: RegExp): Promise<number[]> {
    const { stdout } = await execa('ip', ['netns', 'pids', namespaceOf(this.name)], { reject: false });
    const found: number[] = [];
    for (const pid of stdout
      .split('\n')
      .filter((line) => line !== '')
      .map(Number)) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.test(line.replaceAll('\0', ' '))) found.push(pid);
    }
    return found;
  }

  /** Returns the resident memory of all its processes, including those in sandboxes. */
  async residentBytes(): Promise<number> {
    const all = await listProcesses();
    const own = await readlink(`/proc/${this.#init}/ns/pid`);
    const isOwn = (pid: number): Promise<boolean> =>
      readlink(`/proc/${pid}/ns/pid`).then(
        (namespace) => namespace === own,
        () => false,
      );
    const within = new Set<number>();
    for (const { pid, parentPid } of all) if (within.has(parentPid) || (await isOwn(pid))) within.add(pid);
    const bytes = await Promise.all([...within].map(residentBytes));
    return bytes.reduce((sum, one) => sum + one, 0);
  }

  /** Fills the disk. Returns the function that frees the space. */
  async fillDisk(): Promise<() => Promise<void>> {
    const ballast = join(this.disk, 'ballast');
    await execa('fallocate', ['-l', String(await freeBytesOf(this.disk)), ballast], { reject: false });
    await execa('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k', 'oflag=append', 'conv=notrunc'], { reject: false });
    return () => rm(ballast, { force: true });
  }

  #enter(): string[] {
    if (this.#init === null) throw new Error(`machine ${this.name} is not up`);
    return ['-t', String(this.#init), '-m', '-u', '-i', '-n', '-p', '--'];
  }

  #bootScript(): string {
    const etc = (name: string): string => `mount --bind "${this.disk}/etc/${name}" /etc/${name}`;
    return [
      'set -eu',
      'echo booting',
      'mount --make-rprivate /',
      'mount -t proc proc /proc',
      'mount -t tmpfs -o mode=755 tmpfs /mnt',
      `mkdir -p ${SEEN_REPOSITORY} ${SEEN_CACHE} /mnt/disk`,
      `mount --bind "${REPOSITORY}" ${SEEN_REPOSITORY}`,
      `mount --bind "$(readlink -f "${CACHE_FOLDER}")" ${SEEN_CACHE}`,
      `mount --bind "${this.disk}" /mnt/disk`,
      ...['passwd', 'group', 'shadow', 'hosts'].map(etc),
      ...['home', 'root', 'tmp'].map((folder) => `mount --bind /mnt/disk/${folder} /${folder}`),
      'mount --bind /mnt/disk/tmp /var/tmp',
      'mount -t tmpfs -o mode=755 tmpfs /run',
      // Names of shared memory contain process ids, which are not unique among machines.
      'mount -t tmpfs -o mode=1777 tmpfs /dev/shm',
      'mkdir /run/sshd',
      `hostname ${this.name}`,
      'exec /usr/sbin/sshd -D -e -f /mnt/disk/etc/sshd_config',
      '',
    ].join('\n');
  }

  #sshConfig(clock: Clock | null): string {
    return [
      `ListenAddress ${this.address}`,
      'Port 22',
      'HostKey /mnt/disk/etc/host_key',
      'AuthorizedKeysFile /mnt/disk/etc/authorized_keys',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      'StrictModes no',
      'UsePAM no',
      'PidFile none',
      ...(clock === null
        ? []
        : [`SetEnv LD_PRELOAD=${clock.library} FAKETIME=${clock.offset} FAKETIME_DONT_FAKE_MONOTONIC=1`]),
      '',
    ].join('\n');
  }
}

/** A process that a rehearsal ends and starts again. */
export class Service {
  readonly #begin: () => ChildProcess;
  #child: ChildProcess | null = null;

  constructor(begin: () => ChildProcess) {
    this.#begin = begin;
  }

  start(): ChildProcess {
    this.#child = this.#begin();
    return this.#child;
  }

  get running(): ChildProcess | null {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
      ? this.#child
      : null;
  }

  /** Sends the signal and waits until the process has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.running;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    // Signals the process in the machine, for which nsenter only waits.
    const [inside] = await childrenOf(child.pid!);
    process.kill(inside ?? child.pid!, signal);
    await gone;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  return (await listProcesses()).filter(({ parentPid }) => parentPid === pid).map((found) => found.pid);
}
