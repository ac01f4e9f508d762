/**
 * A separate root folder for a start-up script. It has this machine's programs (read only) and empty folders. Stand-ins
 * replace programs that would change a real machine or need the internet. Mounts are in a namespace that ends with the
 * script.
 */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const RUN_TIMEOUT_MS = 120_000;

/** Returns the script of a stand-in that records its arguments, one line per call. */
const called = (name: string) => `echo "${name} $*" >>/var/log/called`;

/** A curl that reaches only loopback. It records its requests, and the command lines of all processes at that time. */
const CURL = `#!/bin/bash
${called('curl')}
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >>/var/log/command-lines
case "$*" in *127.0.0.1*) exec /usr/bin/curl "$@" ;; esac
echo 'curl: (6) Could not resolve host' >&2
exit 6
`;

const STAND_INS: Readonly<Record<string, string>> = {
  curl: CURL,
  'apt-get': `#!/bin/bash\n${called('apt-get')}\n`,
  useradd: `#!/bin/bash\n${called('useradd')}\nmkdir -p /var/lib/stp/home\necho 'stp:x:0:0::/var/lib/stp/home:/bin/sh' >>/etc/passwd\n`,
  systemctl: `#!/bin/bash\n${called('systemctl')}\n[ "$1" = is-active ] && echo active\nexit 0\n`,
  git: `#!/bin/bash
${called('git')}
case "$*" in
  *rev-parse*) cat "$2/HEAD" 2>/dev/null || exit 128 ;;
  init*) mkdir -p "\${!#}" ;;
  *fetch*) echo "\${!#}" >"$2/FETCHED" ;;
  *checkout*) mv "$2/FETCHED" "$2/HEAD"; cp /lean-toolchain "$2/lean-toolchain" ;;
esac
`,
  python3: `#!/bin/bash
${called('python3')}
mkdir -p "$3/bin"
cat >"$3/bin/pip" <<'END'
#!/bin/bash
echo "pip $*" >>/var/log/called
cat >"$(dirname "$0")/uv" <<'UV'
#!/bin/bash
echo "uv $*" >>/var/log/called
if [ "$1" = venv ]; then mkdir -p "\${!#}/bin"; touch "\${!#}/bin/python"; fi
UV
chmod +x "$(dirname "$0")/uv"
END
chmod +x "$3/bin/pip"
`,
};

/** Stand-ins for Lean's manager and build tool, as if an earlier start had installed them. */
export const LEAN_STAND_INS: Readonly<Record<string, string>> = {
  elan: `#!/bin/bash\n${called('elan')}\n[ "$1" = which ] && echo /opt/stp/elan/toolchains/bin/lean\nexit 0\n`,
  lake: `#!/bin/bash\n${called('lake')}\n`,
};

/** Returns the reason why no root can be made here, or null. */
export function noCleanRoot(): string | null {
  if (process.platform !== 'linux') return 'Linux only';
  if (process.getuid?.() !== 0) return 'chroot needs root';
  const tried = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? null : tried.stderr?.trim() || 'no unshare';
}

export class CleanRoot {
  readonly directory: string;
  readonly #standIns: string;

  private constructor(directory: string, standIns: string) {
    this.directory = directory;
    this.#standIns = standIns;
  }

  static async make(folder: string, toolchain: string): Promise<CleanRoot> {
    const root = join(folder, 'root');
    for (const name of ['usr', 'dev', 'proc', 'tmp', 'root', 'run', 'opt', 'etc/systemd/system', 'var/lib', 'var/log'])
      await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
    await writeFile(join(root, 'etc/group'), 'root:x:0:\n');
    await writeFile(join(root, 'lean-toolchain'), toolchain);
    await writeFile(join(root, 'node'), '');
    const clean = new CleanRoot(root, join(folder, 'stand-ins'));
    await clean.#write(clean.#standIns, STAND_INS);
    return clean;
  }

  async addLean(): Promise<void> {
    await this.#write(join(this.directory, 'opt/stp/elan/bin'), LEAN_STAND_INS);
  }

  /** Runs the script like a machine at its start. */
  async run(script: string, environment: Readonly<Record<string, string>>) {
    const { directory } = this;
    await writeFile(join(directory, 'startup.sh'), script);
    const links = ['bin', 'sbin', 'lib', 'lib64'].map((name) => `ln -sfn usr/${name} ${directory}/${name}`);
    const mounts = [
      'mount --make-rprivate /',
      `mount --bind /usr ${directory}/usr`,
      `mount -o remount,bind,ro ${directory}/usr`,
      `mount --bind ${this.#standIns} ${directory}/usr/local/bin`,
      `mount --bind ${process.execPath} ${directory}/node`,
      `mount -t proc proc ${directory}/proc`,
      `mount --rbind /dev ${directory}/dev`,
    ];
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const start = ['chroot', directory, '/usr/bin/env', '-i', PATH, ...settings, 'bash', '/startup.sh'];
    const line = [...links, ...mounts, `exec ${start.join(' ')}`].join(' && ');
    const namespace = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', line];
    return execa('unshare', namespace, { reject: false, all: true, timeout: RUN_TIMEOUT_MS, stdin: 'ignore' });
  }

  /** Reads a file of the root, or returns null. */
  async read(name: string): Promise<string | null> {
    return readFile(join(this.directory, name), 'utf8').catch(() => null);
  }

  /** Returns the names of files in the root's own folders that contain `text`. */
  async filesWith(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const folder of ['etc', 'opt', 'root', 'run', 'tmp', 'var'])
      for (const name of await readdir(join(this.directory, folder), { recursive: true })) {
        const path = join(this.directory, folder, name);
        if (!(await stat(path).catch(() => null))?.isFile()) continue;
        if ((await readFile(path)).includes(text)) found.push(`${folder}/${name}`);
      }
    return found;
  }

  async #write(folder: string, programs: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(join(folder, name), text);
      await chmod(join(folder, name), 0o755);
    }
  }
}
