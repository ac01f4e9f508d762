/**
 * The sandbox over bubblewrap: namespaces of its own for users, processes, network, IPC, host name and control groups; a
 * file system that holds the system's programs and libraries, what Lean needs to read, and nothing else, all of it
 * read-only but a sized private /tmp and what the caller names; no capability, no network device but loopback, no new
 * privilege; a filter on system calls; limits on processes, processor time and file size.
 *
 * Covers what a process does. Does not cover: memory (the watch of `packages/lean-verifier/runtime/process` and control groups do), bugs of the
 * kernel, time of day and load that a process can see. As root the limit on processes does not hold (the kernel exempts
 * root from it): there a control group must.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import type { Sandbox, SandboxAccess } from './sandbox.ts';

/** Programs and libraries. Not /usr as a whole: it may hold a person's sources or a store (`/usr/src/app`, `/usr/share`). */
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
/** Links into /usr on a system of today, folders on an older one. */
const SYSTEM_LINKS = ['/bin', '/lib', '/lib32', '/lib64'];
const SYSTEM_FILES = ['/etc/ld.so.cache'];
const PATH_INSIDE = '/usr/local/bin:/usr/bin:/bin';

export interface SandboxLimits {
  /** Size of the private /tmp, bytes. A check writes nothing; it is memory of this machine. */
  readonly temporaryBytesMax: number;
  /** Processes and threads at once. A Lean server has a thread or two per core, twice (watchdog and worker). */
  readonly processesMax: number;
  /** Processor time of one process, s. Deadlines are the watch's; this ends what has outlived its watch. */
  readonly cpuSecondsMax: number;
  /** Size of one file, bytes. Mathlib's largest compiled module has about 20 MB. */
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
  /** Such as `0.8.0`. */
  readonly version: string;
  /** It can forbid user namespaces inside the sandbox (`--disable-userns`, 0.8.0 and later). */
  readonly forbidsNesting: boolean;
  /** File with the filter of system calls; null if there is none for this processor. */
  readonly seccompFile: string | null;
  readonly limits?: SandboxLimits;
}

/** A file descriptor that the shell opens for bubblewrap. One digit: dash knows no others. */
const SECCOMP_DESCRIPTOR = 9;
/** `ulimit` of the shell counts in 512-byte blocks (POSIX); processes are `-u` in bash and busybox, `-p` in dash. */
const LIMIT_BLOCK_BYTES = 512;

/** The end of a line of bubblewrap's own: its program never ran. */
const OWN_COMPLAINT = /(?:^|\n)bwrap: [^\n]*\n?$/;

export function bubblewrap(options: BubblewrapOptions): Sandbox {
  const { executable, version, forbidsNesting, seccompFile, limits = SANDBOX_LIMITS } = options;
  const filter = seccompFile === null ? [] : ['--seccomp', String(SECCOMP_DESCRIPTOR)];
  // Each command is `exec`, so that the process that was started is bubblewrap itself.
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
    // Root in the sandbox of a root outside owns the kernel's switches under /proc/sys, capabilities or not.
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

/** The limits are set inside, where processes are counted for this sandbox alone (Linux 5.14 and later). */
function limitScript({ processesMax, cpuSecondsMax, fileBytesMax }: SandboxLimits): string {
  const blocks = Math.ceil(fileBytesMax / LIMIT_BLOCK_BYTES);
  const processes = `{ ulimit -u ${processesMax} || ulimit -p ${processesMax}; } 2>/dev/null`;
  return `ulimit -c 0 && ulimit -f ${blocks} && ulimit -t ${cpuSecondsMax} && ${processes} && exec "$@"`;
}
