/**
 * Installs llama.cpp (npm's node-llama-cpp) into the cache on request: exactly the packages of `lock.json`, and only
 * the binaries that this machine needs. The installation is complete and tested or absent; no package script runs.
 */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { publishFolder, withFileLock } from '@stp/base/files';
import { execa } from 'execa';
import { z } from 'zod';

const PACKAGE = 'node-llama-cpp';
const BINARIES = '@node-llama-cpp/';
const LOCK_FILE = join(import.meta.dirname, 'lock.json');
const PROBE = resolve(import.meta.dirname, 'probe.ts');
const RECORD_FILE = 'installed.json';
export const SETUP_COMMAND = 'bin/stp setup --with llama-cpp';
const INSTALL_MS_MAX = 1_800_000;
const PROBE_MS_MAX = 120_000;
/** Variables of our environment that npm needs. */
const PASSED_ON =
  /^(PATH|HOME|LANG|TMPDIR|npm_config_(?:registry|cache|userconfig|globalconfig|cafile)|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(?:https?|no|all)_proxy)$/i;

const lockSchema = z.strictObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string(),
      integrity: z.string().startsWith('sha512-'),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const probeSchema = z.strictObject({
  /** Compute device: `cuda`, `vulkan`, `metal`, or the processor. */
  device: z.string().max(100),
  names: z.array(z.string().max(200)).max(64),
});

const recordSchema = z.strictObject({
  version: z.string(),
  binaries: z.array(z.string()),
  ...probeSchema.shape,
});
export type InstalledLlamaCpp = z.infer<typeof recordSchema> & {
  /** Folder of the package node-llama-cpp. */
  readonly library: string;
};

export interface LlamaCppMachine {
  readonly platform: string;
  readonly arch: string;
  readonly hasCuda: boolean;
  readonly hasVulkan: boolean;
}

/** Whether the driver of an NVIDIA GPU is loaded. */
export const hasNvidiaGpu = (): boolean => existsSync('/proc/driver/nvidia/version') || existsSync('/dev/nvidia0');

function thisMachine(): LlamaCppMachine {
  return {
    platform: process.platform,
    arch: process.arch,
    hasCuda: hasNvidiaGpu(),
    hasVulkan:
      globSync('/dev/dri/renderD*').length > 0 && globSync('/usr/lib{,64,/*-linux-gnu}/libvulkan.so.1').length > 0,
  };
}

/** Returns the locked packages with binaries for a machine. Throws STP1301 if there is none. */
export function binariesFor(machine: LlamaCppMachine, locked: Iterable<string>): string[] {
  const { platform, arch, hasCuda, hasVulkan } = machine;
  const known = new Set(locked);
  const plain = `${BINARIES}${platform}-${arch}`;
  const accelerated = hasCuda ? [`${plain}-cuda`, `${plain}-cuda-ext`] : hasVulkan ? [`${plain}-vulkan`] : [];
  if (known.has(plain)) return [plain, ...accelerated.filter((name) => known.has(name))];
  const named = [...known].map((name) => name.slice(BINARIES.length)).join(', ');
  throw new StpError(
    'STP1301',
    `no binary of llama.cpp is pinned for ${platform}-${arch}`,
    `Use a machine of these kinds, or serve the model elsewhere (docs/serve.md): ${named}.`,
  );
}

const folderOf = (cacheDirectory: string): string => join(cacheDirectory, 'llama-cpp');

/** Returns null if it is not installed, or its record is damaged. */
export async function installedLlamaCpp(cacheDirectory: string): Promise<InstalledLlamaCpp | null> {
  const folder = folderOf(cacheDirectory);
  const text = await readFile(join(folder, RECORD_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return { ...recordSchema.parse(JSON.parse(text)), library: join(folder, 'node_modules', PACKAGE) };
  } catch {
    return null;
  }
}

/**
 * Returns the folder of the installed library. Throws STP1301, which names the installing command, if it is missing.
 */
export async function requireLlamaCpp(cacheDirectory: string): Promise<string> {
  const installed = await installedLlamaCpp(cacheDirectory);
  if (installed !== null && installed.version === (await readLock()).version) return installed.library;
  const state =
    installed === null ? 'is not installed' : `is installed as version ${installed.version}, which is not ours`;
  throw new StpError('STP1301', `llama.cpp samples this model, and it ${state}`, `Run ${SETUP_COMMAND} (some 90 MB).`);
}

export interface InstallOptions {
  readonly cacheDirectory: string;
  readonly say: (line: string) => void;
  readonly machine?: LlamaCppMachine;
  /** Default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Installs what is missing or no longer runs. Of processes that call it at the same time, one installs. Throws STP1405
 * if the registry cannot be reached, STP1204 for a package that differs from the lock, and STP1301 if no binary runs on
 * this machine.
 */
export async function installLlamaCpp(options: InstallOptions): Promise<InstalledLlamaCpp> {
  const onWait = () => options.say('llama.cpp: waiting for another installation');
  return withFileLock(`${folderOf(options.cacheDirectory)}.lock`, () => installAlone(options), { onWait });
}

async function installAlone(options: InstallOptions): Promise<InstalledLlamaCpp> {
  const { cacheDirectory, say, machine = thisMachine() } = options;
  const { version, packages } = await readLock();
  const locked = Object.keys(packages)
    .map(nameOf)
    .filter((name) => name.startsWith(BINARIES));
  const binaries = binariesFor(machine, locked);
  const isWanted = (found: InstalledLlamaCpp | null): found is InstalledLlamaCpp =>
    found?.version === version && found.binaries.join() === binaries.join();
  const known = await installedLlamaCpp(cacheDirectory);
  const folder = folderOf(cacheDirectory);
  if (isWanted(known)) {
    const problem = await probe(known.library).then(
      () => null,
      (error: Error) => error.message,
    );
    if (problem === null) return known;
    say(problem);
    await rm(folder, { recursive: true, force: true });
  }
  const staging = `${folder}.partial-${process.pid}`;
  say(
    `llama.cpp: getting ${PACKAGE} ${version} with ${binaries.map((name) => name.slice(BINARIES.length)).join(', ')}`,
  );
  try {
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { recursive: true });
    const wanted = [PACKAGE, ...binaries];
    const root = {
      name: 'stp-llama-cpp',
      version: '0.0.0',
      private: true,
      dependencies: Object.fromEntries(wanted.map((name) => [name, packages[`node_modules/${name}`]!.version])),
    };
    const some = Object.entries(packages).filter(([path]) => {
      const name = nameOf(path);
      return !name.startsWith(BINARIES) || binaries.includes(name);
    });
    const lock = { ...root, lockfileVersion: 3, requires: true, packages: { '': root, ...Object.fromEntries(some) } };
    await writeFile(join(staging, 'package.json'), JSON.stringify(root));
    await writeFile(join(staging, 'package-lock.json'), JSON.stringify(lock));
    await npm(staging, options.environment ?? process.env);
    const found = await probe(join(staging, 'node_modules', PACKAGE));
    const record = { version, binaries, ...found };
    await writeFile(join(staging, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`);
    await publishFolder(staging, folder, async () => isWanted(await installedLlamaCpp(cacheDirectory)));
    return { ...record, library: join(folder, 'node_modules', PACKAGE) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function readLock() {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(LOCK_FILE, 'utf8')));
  return { packages, version: packages[`node_modules/${PACKAGE}`]!.version };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

async function npm(folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const {
    failed,
    stderr,
    shortMessage = '',
  } = await execa('npm', ['ci', '--ignore-scripts', ...quiet], {
    cwd: folder,
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name))),
    extendEnv: false,
    reject: false,
    timeout: INSTALL_MS_MAX,
  });
  if (!failed) return;
  const why = (/npm error (?!code|syscall|errno)(.+)/.exec(stderr)?.[1] ?? shortMessage.split('\n')[0]!).slice(0, 300);
  if (/EINTEGRITY/.test(stderr))
    throw new StpError(
      'STP1204',
      `a package of llama.cpp has another hash than the one that is pinned: ${why}`,
      'Do not use it before you know why they differ.',
    );
  if (shortMessage.includes('ENOENT') && !stderr.includes('npm error'))
    throw new StpError('STP1301', 'llama.cpp cannot be installed: there is no npm', 'Install npm, or put it on PATH.');
  const advice = 'Check the network, or the registry that npm uses (`npm config get registry`), and try again.';
  throw new StpError('STP1405', `llama.cpp cannot be installed: ${why}`, advice, { retryable: true });
}

/** Starts llama.cpp in a separate process, which a damaged binary may crash. Throws STP1301 if it does not start. */
export async function probe(library: string): Promise<z.infer<typeof probeSchema>> {
  const {
    failed,
    stdout,
    stderr,
    signal,
    shortMessage = '',
  } = await execa(process.execPath, [PROBE, library], {
    reject: false,
    timeout: PROBE_MS_MAX,
  });
  if (!failed) return probeSchema.parse(JSON.parse(stdout));
  const said = stderr.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? shortMessage.split('\n')[0]!;
  const why = signal === undefined ? said.trim().slice(0, 300) : `it was ended by ${signal}`;
  throw new StpError(
    'STP1301',
    `llama.cpp in ${library} does not run on this machine: ${why}`,
    'Its binaries need glibc 2.34 or newer. Serve the model elsewhere and name its URL (docs/serve.md).',
  );
}
