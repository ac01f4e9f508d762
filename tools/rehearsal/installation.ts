/**
 * A production-like installation on the machines of a rehearsal: PostgreSQL and Temporal, a bucket, a control node, a Lean
 * service and three worker nodes. The project's own commands set it up, as the guides describe.
 */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { chown, copyFile, cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBubblewrap } from '@stp/lean-verifier/testing';
import { execa, type Options } from 'execa';
import { findTemporal } from '../../infra/temporal/find.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { Bucket } from './bucket.ts';
import { type Certificates, makeCertificates, secretLines } from './certificates.ts';
import { type Keys, Machine, type Service, WORKER_USER } from './machine.ts';
import { addressOf, connect, makeBackbone } from './network.ts';
import { CACHE_FOLDER, SEEN_CACHE, SEEN_DISK, SEEN_NODE, SEEN_REPOSITORY, STATE } from './places.ts';
import {
  namespaceSteps,
  POSTGRES_PORT,
  SERVER_NAME,
  schemaSteps,
  TEMPORAL_PORT,
  type TemporalBuild,
  writeServerConfig,
} from './temporal-server.ts';

const LEAN_PORT = 8000;
export const WORKERS = ['worker-1', 'worker-2', 'worker-3'] as const;
const NAMES = ['temporal', 'bucket', 'control', 'lean', ...WORKERS] as const;
export type MachineName = (typeof NAMES)[number];
/** Size of a machine's disk. It is a tmpfs, which takes memory only for its contents. */
const DISK_MEGABYTES = 3_000;
const HEALTH_POLLS_MAX = 120;
const HEALTH_POLL_MS = 1_000;
/** Priority of servers, which would have their own cores: behind 200 simulated nodes heartbeats took up to 30 s. */
const AHEAD = ['-n', '-10'];
const COMMAND_TIMEOUT_MS = 1_800_000;

export interface InstallationOptions {
  /** Folder for logs. */
  readonly logs: string;
  readonly build: TemporalBuild;
  readonly say: (line: string) => void;
}

export class Installation {
  readonly machines: ReadonlyMap<MachineName, Machine>;
  readonly bucket: Bucket;
  readonly postgres: Service;
  readonly temporal: Service;
  readonly control: Service;
  readonly leanService: Service;
  /** Texts that no log may contain. */
  readonly secrets: readonly string[];
  readonly #leanKey: string;
  readonly #postgresPassword: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #leanVariables: Readonly<Record<string, string>>;

  private constructor(parts: {
    machines: ReadonlyMap<MachineName, Machine>;
    build: TemporalBuild;
    secrets: readonly string[];
    leanKey: string;
    postgresPassword: string;
    leanVariables: Readonly<Record<string, string>>;
    postgresPrograms: string;
    /** The stock command line, as machines see it. */
    temporalCommand: string;
  }) {
    this.machines = parts.machines;
    this.secrets = parts.secrets;
    this.#leanKey = parts.leanKey;
    this.#postgresPassword = parts.postgresPassword;
    this.#leanVariables = parts.leanVariables;
    this.bucket = new Bucket(this.machine('bucket'));
    const { address } = this.machine('temporal');
    this.#environment = {
      TEMPORAL_ADDRESS: `${address}:${TEMPORAL_PORT}`,
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: `${SEEN_DISK}/certificates/authority.pem`,
      TEMPORAL_TLS_CLIENT_CERT_PATH: `${SEEN_DISK}/certificates/worker.pem`,
      TEMPORAL_TLS_CLIENT_KEY_PATH: `${SEEN_DISK}/certificates/worker.key`,
      STP_STORE: 'gs://stp/runs',
      STP_GCS_ENDPOINT: this.bucket.endpoint,
      STP_CACHE: `${SEEN_DISK}/cache`,
      STP_LEAN_URL: this.leanUrl,
      STP_LEAN_KEY: this.#leanKey,
      STP_TEMPORAL: parts.temporalCommand,
      NODE_COMPILE_CACHE: `${SEEN_DISK}/cache/node-compile`,
      ...this.#leanVariables,
    };
    const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
    const database = [join(parts.postgresPrograms, 'postgres'), '-D', `${SEEN_DISK}/postgres`];
    this.postgres = this.machine('temporal').service('postgres', 'nice', [...AHEAD, ...asPostgres, ...database], {});
    const server = [
      seen(parts.build.server),
      '--config-file',
      `${SEEN_DISK}/temporal.json`,
      '--allow-no-auth',
      'start',
    ];
    this.temporal = this.machine('temporal').service('temporal', 'nice', [...AHEAD, ...server], {});
    const script = `${SEEN_REPOSITORY}/workers/control.ts`;
    this.control = this.machine('control').service('control', SEEN_NODE, [script], this.#environment, SEEN_REPOSITORY);
    const serve = [
      'lean',
      'serve',
      '--host',
      this.machine('lean').address,
      '--port',
      String(LEAN_PORT),
      '--processes',
      '2',
    ];
    this.leanService = this.machine('lean').service('lean-service', `${SEEN_REPOSITORY}/bin/stp`, serve, {
      STP_LEAN_SERVE_KEYS: this.#leanKey,
      STP_CACHE: `${SEEN_DISK}/cache`,
      NODE_COMPILE_CACHE: `${SEEN_DISK}/cache/node-compile`,
      ...this.#leanVariables,
    });
  }

  machine(name: MachineName): Machine {
    return this.machines.get(name)!;
  }

  /** Runs a command as a person at the control node would, in the checkout, with its `bin` in PATH. */
  onControl(file: string, args: readonly string[], options: Options = {}) {
    const env = { ...this.#environment, HOME: '/root', PATH: `${SEEN_REPOSITORY}/bin:${process.env.PATH}` };
    const inCheckout = ['-C', SEEN_REPOSITORY, '--', file, ...args];
    return this.machine('control').run('env', inCheckout, {
      timeout: COMMAND_TIMEOUT_MS,
      ...options,
      env,
      stdin: 'ignore',
    });
  }

  get leanUrl(): string {
    return `http://${this.machine('lean').address}:${LEAN_PORT}`;
  }

  /** Returns the Lean service's answer to a snippet, asked from the control node with its key. */
  async askLean(code: string): Promise<string> {
    const body = JSON.stringify({ snippets: [{ id: 'asked', code }], timeout: 60 });
    const header = ['--header', '@-', '--header', 'Content-Type: application/json'];
    const asked = await this.machine('control').run(
      'curl',
      ['--silent', '--max-time', '120', ...header, '--data', body, `${this.leanUrl}/api/check`],
      { input: `Authorization: Bearer ${this.#leanKey}\n`, reject: false },
    );
    return String(asked.stdout);
  }

  /** Returns the disk space of Temporal's databases, as the control node asks PostgreSQL. */
  async databaseBytes(): Promise<number> {
    const query = "select sum(pg_database_size(datname)) from pg_database where datname like 'temporal%'";
    const { address } = this.machine('temporal');
    const env = { PGPASSWORD: this.#postgresPassword };
    const words = ['--host', address, '--username', 'temporal', '--tuples-only', '--no-align', '--command', query];
    const { stdout } = await this.machine('control').run('psql', [...words, 'temporal'], { env, reject: false });
    return Number(stdout);
  }

  /** Runs `bin/stp nodes up`; running workers stay unchanged. */
  async startWorkers(): Promise<void> {
    const named = [
      'STP_LEAN_URL',
      'STP_LEAN_KEY',
      ...Object.keys(this.#leanVariables),
      `STP_CACHE=/home/${WORKER_USER}/cache`,
    ];
    const words = [
      'nodes',
      'up',
      '--inventory',
      `${SEEN_DISK}/machines.yaml`,
      '--bundle-file',
      `${SEEN_DISK}/worker.tar.gz`,
    ];
    await this.onControl('stp', [...words, ...named.flatMap((name) => ['--env', name])], { reject: false });
  }

  async startTemporal(): Promise<void> {
    this.temporal.start();
    await this.untilHealthy();
  }

  async untilHealthy(): Promise<void> {
    for (let poll = 0; poll < HEALTH_POLLS_MAX; poll += 1) {
      const { exitCode } = await this.onControl('temporal', ['operator', 'cluster', 'health'], { reject: false });
      if (exitCode === 0) return;
      await sleep(HEALTH_POLL_MS);
    }
    throw new Error('Temporal does not answer');
  }

  /** Starts machines, PostgreSQL and Temporal. */
  static async putUp({ logs, build, say }: InstallationOptions): Promise<Installation> {
    const addresses = NAMES.map((name, index) => [name, addressOf(index)] as const);
    const hosts = `127.0.0.1 localhost\n${addresses.map(([name, address]) => `${address} ${name}\n`).join('')}`;
    await mkdir(join(STATE, 'disks'), { recursive: true });
    await mkdir(join(STATE, 'keys'), { recursive: true, mode: 0o700 });
    const keys = await makeKeys(join(STATE, 'keys'));
    say('network and machines');
    await makeBackbone();
    const machines = new Map<MachineName, Machine>();
    for (const [name, address] of addresses) {
      await connect(name, address);
      const machine = new Machine(name, address, { logs, keys, hosts });
      await machine.makeDisk(DISK_MEGABYTES);
      machines.set(name, machine);
    }
    await Promise.all([...machines.values()].map((machine) => machine.boot()));
    const certificates = await makeCertificates(join(STATE, 'keys'), SERVER_NAME, machines.get('temporal')!.address);
    const [postgresPassword, leanKey] = [randomBytes(18).toString('hex'), randomBytes(18).toString('hex')];
    const command = await findTemporal({ cacheDirectory: CACHE_FOLDER, install: true, onProgress: say });
    const installation = new Installation({
      temporalCommand: seen(await realpath(command.executable)),
      machines,
      build,
      leanKey,
      postgresPassword,
      secrets: [postgresPassword, leanKey, ...(await secretLines(certificates))],
      leanVariables: await leanVariables(say),
      postgresPrograms: await postgresPrograms(),
    });
    await installation.#prepareDisks(certificates, addresses);
    say('PostgreSQL, Temporal, its schema and search attributes');
    await installation.#prepareDatabase(postgresPassword);
    await installation.#prepareTemporal(build, { postgresPassword, certificates });
    return installation;
  }

  /** Starts the other parts that runs need: bucket, Lean service, control worker, worker nodes. */
  async startFleet(say: (line: string) => void): Promise<void> {
    say('bucket, Lean service, control worker');
    await this.bucket.start();
    await this.#startLeanService();
    this.control.start();
    say('worker nodes');
    await this.onControl('stp', ['nodes', 'bundle', '--file', `${SEEN_DISK}/worker.tar.gz`]);
    await this.startWorkers();
  }

  /** Starts the Lean service and waits until it answers. */
  async #startLeanService(): Promise<void> {
    this.leanService.start();
    for (let poll = 0; poll < HEALTH_POLLS_MAX; poll += 1) {
      if ((await this.askLean('example : 1 = 1 := rfl')).includes('"checked"')) return;
      await sleep(HEALTH_POLL_MS);
    }
    throw new Error('the Lean service does not answer');
  }

  /** Prepares the contents of machine images, and the files that a person puts on the control node. */
  async #prepareDisks(
    certificates: Certificates,
    addresses: readonly (readonly [MachineName, string])[],
  ): Promise<void> {
    const library = join(CACHE_FOLDER, 'library');
    for (const [name, { disk }] of this.machines) {
      const isWorker = (WORKERS as readonly string[]).includes(name);
      if (name === 'temporal' || name === 'bucket') continue;
      const cache = isWorker ? join(disk, 'home', WORKER_USER, 'cache') : join(disk, 'cache');
      await mkdir(cache, { recursive: true });
      await cp(library, join(cache, 'library'), { recursive: true });
      if (isWorker) await execa('chown', ['-R', `--reference=${join(disk, 'home', WORKER_USER)}`, cache]);
    }
    const { disk } = this.machine('control');
    for (const [name, from] of [
      ['authority.pem', certificates.authority],
      ['worker.pem', certificates.client.certificate],
      ['worker.key', certificates.client.key],
    ] as const) {
      await mkdir(join(disk, 'certificates'), { recursive: true });
      await copyFile(from, join(disk, 'certificates', name));
    }
    await mkdir(join(disk, 'cache/temporal'), { recursive: true });
    await writeFile(join(disk, 'cache/temporal/executable'), this.#environment.STP_TEMPORAL!);
    await copyFile(join(STATE, 'keys/login'), join(disk, 'root/.ssh/id_ed25519'));
    const hostKey = (await readFile(join(STATE, 'keys/host.pub'), 'utf8')).trim();
    const known = addresses.map(([, address]) => `${address} ${hostKey}\n`).join('');
    await writeFile(join(disk, 'root/.ssh/known_hosts'), known);
    const workers = addresses.filter(([name]) => (WORKERS as readonly string[]).includes(name));
    const inventory = workers.map(
      ([name, address]) => `  - name: ${name}\n    address: ${address}\n    user: ${WORKER_USER}\n`,
    );
    await writeFile(join(disk, 'machines.yaml'), `hosts:\n${inventory.join('')}`);
  }

  async #prepareDatabase(password: string): Promise<void> {
    const machine = this.machine('temporal');
    const programs = await postgresPrograms();
    const folder = join(machine.disk, 'postgres');
    const passwordFile = join(machine.disk, 'postgres-password');
    const { uid, gid } = await userId('postgres');
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, uid, gid);
    await writeFile(passwordFile, password, { mode: 0o600 });
    await chown(passwordFile, uid, gid);
    const initdb = [
      join(programs, 'initdb'),
      '-D',
      `${SEEN_DISK}/postgres`,
      '-U',
      'temporal',
      '--auth=scram-sha-256',
      `--pwfile=${SEEN_DISK}/postgres-password`,
    ];
    await machine.run('setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', ...initdb]);
    await rm(passwordFile);
    const settings = [
      `listen_addresses = '${machine.address}'`,
      `port = ${POSTGRES_PORT}`,
      "unix_socket_directories = '/tmp'",
      'max_connections = 100',
    ];
    await writeFile(join(folder, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
    await writeFile(join(folder, 'pg_hba.conf'), 'host all all 10.77.0.0/24 scram-sha-256\n');
    this.postgres.start();
    for (let poll = 0; poll < HEALTH_POLLS_MAX; poll += 1) {
      const { exitCode } = await machine.run('pg_isready', ['-h', machine.address, '-p', String(POSTGRES_PORT)], {
        reject: false,
      });
      if (exitCode === 0) return;
      await sleep(HEALTH_POLL_MS);
    }
    throw new Error('PostgreSQL does not answer');
  }

  async #prepareTemporal(
    build: TemporalBuild,
    secrets: { readonly postgresPassword: string; readonly certificates: Certificates },
  ): Promise<void> {
    const machine = this.machine('temporal');
    await mkdir(join(machine.disk, 'certificates'), { recursive: true });
    const within = (path: string): string => path.replace(join(STATE, 'keys'), `${SEEN_DISK}/certificates`);
    const { certificates } = secrets;
    for (const path of [certificates.authority, certificates.server.certificate, certificates.server.key])
      await copyFile(path, join(machine.disk, 'certificates', path.split('/').at(-1)!));
    await writeServerConfig(join(machine.disk, 'temporal.json'), {
      address: machine.address,
      postgresPassword: secrets.postgresPassword,
      certificates: {
        ...certificates,
        authority: within(certificates.authority),
        server: { certificate: within(certificates.server.certificate), key: within(certificates.server.key) },
      },
    });
    const connection = [
      '--plugin',
      'postgres12',
      '--endpoint',
      machine.address,
      '--port',
      String(POSTGRES_PORT),
      '--user',
      'temporal',
    ];
    for (const step of schemaSteps(seen(build.schema)))
      await machine.run(seen(build.sqlTool), [...connection, ...step], {
        env: { SQL_PASSWORD: secrets.postgresPassword },
      });
    await this.startTemporal();
    for (const step of namespaceSteps) await this.#untilDone(step);
  }

  /** Repeats a command until it succeeds: all parts of a server know a new namespace only after some seconds. */
  async #untilDone(words: readonly string[]): Promise<void> {
    for (let poll = 1; ; poll += 1) {
      const { exitCode, stderr } = await this.onControl('temporal', words, { reject: false });
      if (exitCode === 0) return;
      if (poll === HEALTH_POLLS_MAX) throw new Error(`temporal ${words.join(' ')}: ${stderr}`);
      await sleep(HEALTH_POLL_MS);
    }
  }
}

/** Returns the path at which machines see a file of the cache. */
export function seen(path: string): string {
  const cache = realpathSync(CACHE_FOLDER);
  return path.startsWith(cache) ? SEEN_CACHE + path.slice(cache.length) : path;
}

/** Returns variables for the Lean and the sandbox of this machine, as in a node's image. Compiles the library first. */
export async function leanVariables(say: (line: string) => void): Promise<Record<string, string>> {
  const environment = await leanEnvironment(workerSettings(), say);
  const { found } = await findBubblewrap({ cacheDirectory: CACHE_FOLDER });
  return {
    STP_LEAN: seen(await realpath(environment.executable)),
    ...(found === undefined ? {} : { STP_BWRAP: seen(await realpath(found.executable)) }),
  };
}

export async function makeKeys(folder: string): Promise<Keys> {
  const pair = async (name: string): Promise<[string, string]> => {
    const path = join(folder, name);
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path]);
    return [await readFile(path, 'utf8'), await readFile(`${path}.pub`, 'utf8')];
  };
  const [hostKey] = await pair('host');
  const [, authorised] = await pair('login');
  return { hostKey, authorised };
}

/** Returns the folder of PostgreSQL's programs; Debian has one for each version. */
export async function postgresPrograms(): Promise<string> {
  const versions = (await readdir('/usr/lib/postgresql')).sort((one, other) => Number(one) - Number(other));
  return join('/usr/lib/postgresql', versions.at(-1)!, 'bin');
}

async function userId(name: string): Promise<{ uid: number; gid: number }> {
  const { stdout } = await execa('getent', ['passwd', name]);
  const [, , uid, gid] = stdout.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}
