/**
 * The sandbox that uses bubblewrap. It has separate namespaces for users, processes, network, IPC, host name and
 * control groups. Its file system contains the system's programs and libraries and the files that Lean needs, all
 * read-only, plus a private /tmp of limited size and the folders that the caller names. It has no capabilities, no
 * network device except loopback, and no way to gain privileges. System calls are filtered; processes, processor time
 * and file size are limited.
 *
 * The sandbox does not limit memory (the watch of `runtime/process` and control groups do), and does not protect
 * against kernel bugs. It does not hide the time of day or the machine's load. The kernel exempts root from the limit
 * on processes, so root needs a control group.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import type { Sandbox, SandboxAccess } from './sandbox.ts';

/**
 * Programs and libraries. Not all of /usr, which may hold a person's sources or a store (`/usr/src/app`, `/usr/share`).
 */
const SYSTEM_FOLDERS = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/local/bin',
  '/usr/local/lib',
  '/nix/store',
];
/** These are links into /usr on present systems, and folders on older ones. */
const SYSTEM_LINKS = ['/bin', '/lib', '/lib32', '/lib64'];
const SYSTEM_FILES = ['/etc/ld.so.cache'];
const PATH_INSIDE = '/usr/local/bin:/usr/bin:/bin';

export interface SandboxLimits {
  /** Size of the private /tmp, bytes. It uses this machine's memory. A check writes nothing. */
  readonly temporaryBytesMax: number;
  /**
   * Maximum number of processes and threads. A Lean server has one or two threads per core, in both watchdog and
   * worker.
   */
  readonly processesMax: number;
  /**
   * Processor time of one process, s. The watch enforces deadlines; this limit ends processes that outlive their watch.
   */
  readonly cpuSecondsMax: number;
  /** Maximum size of one file, bytes. Mathlib's largest compiled module has about 20 MB. */
  readonly fileBytesMax: number;
}

export const SANDBOX_LIMITS: SandboxLimits = {
  temporaryBytesMax: 67_108_864,
  processesMax: 256 + 8 * availableParallelism(),
  cpuSecondsMax: 6 * 3_600,
  fileBytesMax: 1_073_741_824,
};

export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly executable: string;
  /** For example `0.8.0`. */
  readonly version: string;
  /** Whether it can forbid user namespaces inside the sandbox (`--disable-userns`, since 0.8.0). */
  readonly forbidsNesting: boolean;
  /** File with the filter of system calls; null if there is none for this processor architecture. */
  readonly seccompFile: string | null;
  readonly limits?: SandboxLimits;
}

/** File descriptor that the shell opens for bubblewrap. It has one digit because dash knows no longer ones. */
const SECCOMP_DESCRIPTOR = 9;
/**
 * The shell's `ulimit` counts in 512-byte blocks (POSIX). The limit on processes is `-u` in bash and busybox, `-p` in
 * dash.
 */
const LIMIT_BLOCK_BYTES = 512;

/** Matches output that ends with an error line of bubblewrap, which means that the program never ran. */
const OWN_COMPLAINT = /(?:^|\n)bwrap: [^\n]*\n?$/;

export function bubblewrap(options: BubblewrapOptions): Sandbox {
  const { executable, version, forbidsNesting, seccompFile, limits = SANDBOX_LIMITS } = options;
  const filter = seccompFile === null ? [] : ['--seccomp', String(SECCOMP_DESCRIPTOR)];
  // Each command uses `exec`, so that the started process becomes bubblewrap itself.
  const open = seccompFile === null ? '' : `exec ${SECCOMP_DESCRIPTOR}<"$0"; `;
  return {
    facts: { kind: 'bubblewrap', description: `bubblewrap ${version}${seccompFile === null ? '' : ', seccomp'}` },
    wrap: (command, access) => [
      '/bin/sh',
      '-c',
      `${open}exec "$@"`,
      seccompFile ?? 'sh',
      executable,
      ...walls(forbidsNesting),
      ...filter,
      ...fileSystem(access, limits),
      '--',
      '/bin/sh',
      '-c',
      limitScript(limits),
      'sh',
      ...command,
    ],
    failedToStart: ({ code, stderr }) => code !== 0 && code !== null && OWN_COMPLAINT.test(stderr),
  };
}

function walls(forbidsNesting: boolean): string[] {
  return [
    '--unshare-user',
    ...(forbidsNesting ? ['--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--hostname',
    'lean',
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
  ];
}

function fileSystem({ readOnly, writable, workingDirectory }: SandboxAccess, limits: SandboxLimits): string[] {
  const shown = [...readOnly, ...writable];
  const start = shown.some((path) => isInside(path, workingDirectory)) ? workingDirectory : '/tmp';
  return [
    ...SYSTEM_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...SYSTEM_LINKS.flatMap(linkOrBind),
    ...SYSTEM_FILES.flatMap((path) => ['--ro-bind-try', path, path]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(limits.temporaryBytesMax),
    '--tmpfs',
    '/tmp',
    ...[...new Set(readOnly)].flatMap((path) => ['--ro-bind', path, path]),
    ...[...new Set(writable)].flatMap((path) => ['--bind', path, path]),
    // If the user outside is root, root inside the sandbox may write the kernel's settings in /proc/sys even without
    // capabilities.
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--setenv',
    'PATH',
    PATH_INSIDE,
    '--setenv',
    'HOME',
    '/tmp',
    '--setenv',
    'TMPDIR',
    '/tmp',
    '--chdir',
    start,
  ];
}

function linkOrBind(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

/** Sets the limits inside, where the kernel counts the processes of this sandbox alone (Linux 5.14 and later). */
function limitScript({ processesMax, cpuSecondsMax, fileBytesMax }: SandboxLimits): string {
  const blocks = Math.ceil(fileBytesMax / LIMIT_BLOCK_BYTES);
  const processes = `{ ulimit -u ${processesMax} || ulimit -p ${processesMax}; } 2>/dev/null`;
  return `ulimit -c 0 && ulimit -f ${blocks} && ulimit -t ${cpuSecondsMax} && ${processes} && exec "$@"`;
}
