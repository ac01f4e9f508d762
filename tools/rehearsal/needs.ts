/** Needs of a rehearsal on this machine, and how to get what it lacks. */
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isThere } from '@stp/base/files';
import { execa } from 'execa';
import { CLOCK_LIBRARY } from './faults.ts';
import { GO_VERSION, isBuilt } from './temporal-server.ts';

export interface Lack {
  readonly what: string;
  readonly get: string;
}

const PACKAGES: readonly (readonly [program: string, debianPackage: string])[] = [
  ['ip', 'iproute2'],
  ['tc', 'iproute2'],
  ['nft', 'nftables'],
  ['sshd', 'openssh-server'],
  ['ssh', 'openssh-client'],
  ['ssh-keygen', 'openssh-client'],
  ['openssl', 'openssl'],
  ['faketime', 'faketime'],
  ['unshare', 'util-linux'],
  ['nsenter', 'util-linux'],
  ['curl', 'curl'],
  ['git', 'git'],
];

/** Returns what is missing, in the order in which a person would get it. */
export async function missing(): Promise<readonly Lack[]> {
  if (process.platform !== 'linux') return [{ what: 'it is not Linux', get: 'Use a Linux machine.' }];
  const lacks: Lack[] = [];
  if (process.getuid?.() !== 0)
    lacks.push({ what: 'you are not root, who alone may make network namespaces', get: 'sudo npm run rehearsal' });
  const packages = new Set<string>();
  const absent: string[] = [];
  const lack = (what: string, debianPackage: string): void => {
    absent.push(what);
    packages.add(debianPackage);
  };
  for (const [program, debianPackage] of PACKAGES) if (!(await isOnPath(program))) lack(program, debianPackage);
  if (!(await isThere(CLOCK_LIBRARY))) lack('libfaketime', 'faketime');
  if ((await readdir('/usr/lib/postgresql').catch(() => [])).length === 0) lack('PostgreSQL', 'postgresql');
  if (absent.length > 0)
    lacks.push({ what: `there is no ${absent.join(', ')}`, get: `apt-get install ${[...packages].join(' ')}` });
  if (!(await isBuilt())) lacks.push(...(await goLack()));
  return lacks;
}

async function goLack(): Promise<Lack[]> {
  const get = `Install Go ${GO_VERSION} or later (go.dev/dl) and put it on PATH: it builds Temporal's server, once.`;
  const { stdout, failed } = await execa('go', ['env', 'GOVERSION'], { reject: false });
  if (failed) return [{ what: 'there is no go', get }];
  const version = stdout.replace(/^go/, '');
  return isOlder(version, GO_VERSION) ? [{ what: `go is ${version}, too old for Temporal's server`, get }] : [];
}

export function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < 3; i += 1) if ((one![i] ?? 0) !== (other![i] ?? 0)) return (one![i] ?? 0) < (other![i] ?? 0);
  return false;
}

/** Debian keeps the programs of administrators outside a user's PATH. */
async function isOnPath(program: string): Promise<boolean> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const folder of folders) if (await isThere(join(folder, program))) return true;
  return false;
}
