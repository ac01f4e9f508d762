/**
 * Installs a released Lean with elan, Lean's toolchain manager, into our cache. The user's own elan and profile are not
 * changed. Works on every system that elan supports, if its servers can be reached.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { ASSEMBLED_LEAN_VERSION } from './olean/lean-version.ts';
import { runCommand } from './run-command.ts';

/** The release with the same elaborator as the assembled Lean, so that both give the same messages. */
export const PINNED_RELEASE = `v${ASSEMBLED_LEAN_VERSION}`;
const PINNED_TOOLCHAIN = `leanprover/lean4:${PINNED_RELEASE}`;
/** Folder name of the pinned release in the cache's folder for Lean. */
export const RELEASED_FOLDER_NAME = `released-${PINNED_RELEASE}`;

/** The address from Lean's installation guide. */
const ELAN_INSTALLER_ADDRESS = 'https://elan.lean-lang.org/elan-init.sh';
/**
 * Timeout for testing whether the server can be reached. It normally answers in well under a second; without a network
 * the test must be short.
 */
const PROBE_SECONDS = 5;
/** The toolchain has about 400 MB. */
const INSTALL_TIMEOUT_MS = 30 * 60_000;

export interface ElanOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Downloads with curl, which elan needs too and which knows this machine's proxies. */
async function fetchInstaller({ environment, signal }: ElanOptions): Promise<{ script: string } | { problem: string }> {
  const result = await runCommand(
    'curl',
    ['--fail', '--silent', '--show-error', '--location', '--max-time', String(PROBE_SECONDS), ELAN_INSTALLER_ADDRESS],
    { environment, timeoutMs: 2 * PROBE_SECONDS * 1000, signal },
  );
  if (!result.ok) return { problem: `${ELAN_INSTALLER_ADDRESS} does not answer (curl: ${result.reason})` };
  return result.stdout.startsWith('#!')
    ? { script: result.stdout }
    : { problem: `${ELAN_INSTALLER_ADDRESS} gives no script` };
}

/** Returns why elan cannot be used here, or undefined if its server answers. */
export async function elanProblem(options: ElanOptions): Promise<string | undefined> {
  if (process.platform === 'win32') return 'its installer needs a Unix shell';
  const installer = await fetchInstaller(options);
  return 'problem' in installer ? installer.problem : undefined;
}

function notInstalled(reason: string): StpError {
  return new StpError('STP1201', `elan could not install ${PINNED_TOOLCHAIN}: ${reason}`, 'Check the network.', {
    retryable: true,
  });
}

/**
 * Fills the existing empty `folder` with the pinned release (`bin/lean`, `lib/`, …).
 * @throws StpError STP1201 if that fails
 */
export async function installRelease(folder: string, options: ElanOptions): Promise<void> {
  const installer = await fetchInstaller(options);
  if ('problem' in installer) throw notInstalled(installer.problem);
  const elanHome = join(folder, 'elan-home');
  await mkdir(elanHome);
  const parameters = ['-s', '--', '-y', '--no-modify-path', '--default-toolchain', PINNED_TOOLCHAIN];
  const result = await runCommand('sh', parameters, {
    environment: { ...options.environment, ELAN_HOME: elanHome },
    timeoutMs: INSTALL_TIMEOUT_MS,
    input: installer.script,
    cwd: folder,
    signal: options.signal,
  });
  if (!result.ok) throw notInstalled(result.reason);
  await moveToolchain(elanHome, folder);
  await rm(elanHome, { recursive: true });
}

/** Moves the toolchain. Lean finds its files relative to its executable, so it works in any folder. */
async function moveToolchain(elanHome: string, folder: string): Promise<void> {
  const toolchains = join(elanHome, 'toolchains');
  const names = await readdir(toolchains).catch(() => []);
  const name = names.find((candidate) => candidate.endsWith(PINNED_RELEASE));
  if (name === undefined) throw notInstalled('it ended well but left no toolchain');
  for (const part of await readdir(join(toolchains, name))) {
    await rename(join(toolchains, name, part), join(folder, part));
  }
}
