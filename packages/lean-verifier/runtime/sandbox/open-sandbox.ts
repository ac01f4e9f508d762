/**
 * Opens the sandbox that the configuration requests: finds or downloads bubblewrap, probes it, and returns it only
 * then. It fails closed: a sandbox that fails its probe is refused or, if the configuration allows that, replaced by
 * none with a notice.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, readlink, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StpError } from '@stp/base';
import { fileMark, folderMarks, remember } from '@stp/base/files';
import type { RunConfig } from '@stp/config';
import { z } from 'zod';
import { leanFolder } from '../../toolchain/set-up-folder.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { bubblewrap } from './bubblewrap.ts';
import { fetchBubblewrap, findBubblewrap } from './find-bubblewrap.ts';
import { probeSandbox } from './probe.ts';
import { noSandbox, type Sandbox } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';

export type SandboxPolicy = RunConfig['verification']['sandbox'];

export interface OpenSandboxOptions {
  readonly cacheDirectory: string;
  /** The Lean that must start in the sandbox. */
  readonly environment: Pick<LeanEnvironment, 'executable' | 'searchPath'>;
  /** `auto` allows downloading bubblewrap into the cache. */
  readonly install: 'never' | 'auto';
  /**
   * Receives a line for people when a wanted sandbox is missing and Lean runs without one, and when bubblewrap is
   * downloaded.
   */
  readonly onProgress?: (line: string) => void;
  /** Probes the sandbox even if the same sandbox has passed since this machine started. */
  readonly anew?: boolean;
  readonly signal?: AbortSignal | undefined;
}

type Outcome = { readonly sandbox: Sandbox } | { readonly sandbox?: never; readonly problem: string };

/** Probe results by Lean executable. They are valid as long as this process runs. */
const probed = new Map<string, Promise<Outcome>>();

/**
 * Opens the sandbox for this policy.
 * @throws StpError STP1205 under `required` if no sandbox passes its probe; the signal's reason
 */
export async function openSandbox(policy: SandboxPolicy, options: OpenSandboxOptions): Promise<Sandbox> {
  if (policy === 'off') return noSandbox('switched off by the configuration');
  const { environment, cacheDirectory, install, anew = false } = options;
  const key = JSON.stringify([environment.executable, cacheDirectory, install, anew]);
  const earlier = probed.get(key);
  const looking = earlier ?? look(options);
  probed.set(key, looking);
  const outcome = await looking.catch((error: unknown) => {
    probed.delete(key);
    throw error;
  });
  if (outcome.sandbox !== undefined) return outcome.sandbox;
  if (policy === 'required') {
    probed.delete(key);
    // A missing part may be present when the round is tried again.
    if (earlier !== undefined) return openSandbox(policy, options);
    throw refusal(outcome.problem);
  }
  if (earlier === undefined) options.onProgress?.(`Lean runs without a sandbox: ${outcome.problem}`);
  return noSandbox(outcome.problem);
}

/** Returns a sandbox that passed its probe, or the problem in one line. `doctor` shows the same. */
async function look({
  cacheDirectory,
  environment,
  install,
  onProgress,
  anew,
  signal,
}: OpenSandboxOptions): Promise<Outcome> {
  let search = await findBubblewrap({ cacheDirectory, signal });
  if (search.found === undefined && install === 'auto' && process.platform === 'linux' && !process.env.STP_BWRAP) {
    onProgress?.('Getting bubblewrap, the sandbox for Lean');
    const fetched = await fetchBubblewrap({ cacheDirectory, signal });
    search = fetched.found === undefined ? { problem: `${search.problem}; ${fetched.problem}` } : fetched;
  }
  if (search.found === undefined) return { problem: search.problem };
  const sandbox = bubblewrap({ ...search.found, seccompFile: await seccompFile(cacheDirectory) });
  const probe = () => probeSandbox(sandbox, environment, signal);
  const key = await restsOn(sandbox, search.found.executable, environment);
  const problems = (await remember({ cacheDirectory, key, schema: HOLDS, anew }, probe)) as readonly string[];
  if (problems.length === 0) return { sandbox };
  return { problem: `${search.found.executable}: ${problems.join('; ')}${await hint(problems.join('\n'))}` };
}

/** Only a passed probe is remembered. */
const HOLDS = z.array(z.string()).length(0);
/** Files whose size and time are part of the key. */
const PROBE_FILES = ['./probe.ts', './probe-program.ts'].map((name) => fileURLToPath(new URL(name, import.meta.url)));

/**
 * Everything that determines the outcome of a probe: the kernel, this process's user and namespaces, the sandbox's
 * options, the programs, and the probe itself.
 */
async function restsOn(
  sandbox: Sandbox,
  executable: string,
  lean: OpenSandboxOptions['environment'],
): Promise<readonly unknown[]> {
  const own = ['user', 'mnt', 'pid', 'net'].map((name) => readlink(`/proc/self/ns/${name}`).catch(() => ''));
  return [
    'sandbox',
    await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(randomUUID),
    process.getuid?.(),
    await Promise.all(own),
    sandbox.facts,
    sandbox.wrap(['program'], { readOnly: ['/'], writable: ['/tmp'], workingDirectory: '/tmp' }),
    await Promise.all([executable, process.execPath, ...PROBE_FILES].map(fileMark)),
    lean.executable,
    lean.searchPath,
    await folderMarks(dirname(await realpath(lean.executable).catch(() => '.'))),
  ];
}

/** Writes the filter to a file for bubblewrap and returns its path. The name contains a hash of the content. */
async function seccompFile(cacheDirectory: string): Promise<string | null> {
  const bytes = seccompFilter(process.arch);
  if (bytes === null) return null;
  const folder = leanFolder(cacheDirectory);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const path = join(folder, `seccomp-${process.arch}-${hash}.bpf`);
  const isThere = await readFile(path).then(
    (there) => there.equals(bytes),
    () => false,
  );
  if (isThere) return path;
  await mkdir(folder, { recursive: true });
  const partial = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(partial, bytes);
  await rename(partial, path);
  return path;
}

/** Kernel settings that deny ordinary users what bubblewrap needs, with the reason and the remedy. */
const SWITCHES = [
  {
    file: '/proc/sys/kernel/unprivileged_userns_clone',
    forbids: '0',
    change: 'sysctl kernel.unprivileged_userns_clone=1',
  },
  { file: '/proc/sys/user/max_user_namespaces', forbids: '0', change: 'sysctl user.max_user_namespaces=10000' },
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    forbids: '1',
    change:
      'an AppArmor profile for bwrap (package apparmor-profiles), or sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  },
];
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];
const ABOUT_RIGHTS = /not permitted|denied|no permissions/i;

/** Returns what to change if a kernel setting or a container is the obstacle; otherwise empty. */
async function hint(problem: string): Promise<string> {
  if (!ABOUT_RIGHTS.test(problem)) return '';
  for (const { file, forbids, change } of SWITCHES) {
    const value = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (value === forbids) return ` (${file} is ${value}; needed: ${change})`;
  }
  for (const file of CONTAINER_FILES)
    if (await isReadable(file))
      return ' (this is a container: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined)';
  return ' (user namespaces are forbidden to this user)';
}

function isReadable(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function refusal(problem: string): StpError {
  return new StpError(
    'STP1205',
    problem,
    'Lean runs code while it checks, so a run that asks for a sandbox is not started without one. `bin/stp setup` gets bubblewrap ' +
      'on Debian and Ubuntu, other systems have it as a package; `bin/stp doctor` says what is in the way. With ' +
      '`--set verification.sandbox=off` Lean runs unprotected and the results are not eligible.',
    { facts: { problem } },
  );
}
