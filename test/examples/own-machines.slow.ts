/**
 * Runs the example of a fleet: its commands on three machines, which are network namespaces with ssh servers and a
 * common folder. Skipped with a message if this machine lacks the requirements. Costs some minutes. No other rehearsal
 * may run at the same time.
 *
 * @module-tag slow
 */
import { chown, copyFile, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { readInventory } from '../../infra/nodes/inventory.ts';
import { findTemporal } from '../../infra/temporal/find.ts';
import { leanVariables, makeKeys, seen } from '../../tools/rehearsal/installation.ts';
import { Machine, WORKER_USER } from '../../tools/rehearsal/machine.ts';
import { missing } from '../../tools/rehearsal/needs.ts';
import { connect, makeBackbone } from '../../tools/rehearsal/network.ts';
import { CACHE_FOLDER, SEEN_REPOSITORY, STATE } from '../../tools/rehearsal/places.ts';
import { begin, leftovers, takeDown } from '../../tools/rehearsal/takedown.ts';
import { REPOSITORY } from '../support/stp.ts';
import { blocksOf } from './pages.ts';

const lacks = (await missing()).filter(({ what }) => !/\bgo\b/.test(what));
for (const { what, get } of lacks) console.log(`the example of a fleet is not tested: ${what}. ${get}`);

const INVENTORY = join(REPOSITORY, 'examples/own-machines/machines.yaml');
const HOME = `/home/${WORKER_USER}`;
const CACHE = `${HOME}/cache`;
const DISK_MEGABYTES = 3_000;
/** Shared folder, as the page names it. */
const SHARED = '/srv/stp';

afterEach(takeDown);

/** Makes machines with one key, one user and a compiled library, like machine images. */
async function machines(addresses: ReadonlyMap<string, string>, logs: string): Promise<Map<string, Machine>> {
  await mkdir(join(STATE, 'keys'), { recursive: true });
  const keys = await makeKeys(join(STATE, 'keys'));
  const hostKey = (await readFile(join(STATE, 'keys/host.pub'), 'utf8')).trim();
  const known = [...addresses.values()].map((address) => `${address} ${hostKey}\n`).join('');
  await makeBackbone();
  const made = new Map<string, Machine>();
  for (const [name, address] of addresses) {
    await connect(name, address);
    const machine = new Machine(name, address, { logs, keys, hosts: '127.0.0.1 localhost\n' });
    await machine.makeDisk(DISK_MEGABYTES);
    const home = join(machine.disk, HOME);
    await mkdir(join(home, '.ssh'), { mode: 0o700 });
    await copyFile(join(STATE, 'keys/login'), join(home, '.ssh/id_ed25519'));
    await writeFile(join(home, '.ssh/known_hosts'), known);
    await cp(join(CACHE_FOLDER, 'library'), join(machine.disk, CACHE, 'library'), { recursive: true });
    await execa('chown', ['-R', `--reference=${home}`, `${home}/.ssh`, join(machine.disk, CACHE)]);
    await machine.boot();
    made.set(name, machine);
  }
  return made;
}

it.skipIf(lacks.length > 0)('has commands that do what the page says', { timeout: 1_800_000 }, async () => {
  expect(await begin()).toBeNull();
  const [script] = blocksOf('own-machines', 'sh') as [string];
  const logs = await mkdtemp(join(tmpdir(), 'stp-fleet-'));
  const lean = await leanVariables(() => {});
  const { executable } = await findTemporal({ cacheDirectory: CACHE_FOLDER, install: true, onProgress: () => {} });
  const control = /TEMPORAL_ADDRESS=([\d.]+):/u.exec(script)![1]!;
  const workers = readInventory(INVENTORY).map(({ name, address }) => [name, address] as const);
  const all = await machines(new Map([['control', control], ...workers]), logs);
  // A folder of this machine replaces the network file system.
  await mkdir('/srv', { recursive: true });
  const shared = await mkdtemp('/srv/stp-');
  onTestFinished(() => rm(shared, { recursive: true, force: true }));
  const { uid, gid } = await ownerOf(all.get('control')!);
  await chown(shared, uid, gid);

  const own = Object.entries({ ...lean, STP_CACHE: CACHE }).map(([name, value]) => `--env ${name}=${value}`);
  const commands = script
    .replaceAll(SHARED, shared)
    .replace(/^(stp nodes up .*)$/mu, (line) => `${line} ${own.join(' ')}`);
  const temporal = seen(await realpath(executable));
  const cached = join(all.get('control')!.disk, CACHE, 'temporal');
  await mkdir(cached);
  await writeFile(join(cached, 'executable'), temporal);
  await execa('chown', ['-R', `${uid}:${gid}`, cached]);
  // A separate session, so that the last command ends background processes of the first ones.
  const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'setsid', '--wait'];
  const env = {
    ...lean,
    HOME,
    STP_CACHE: CACHE,
    STP_TEMPORAL: temporal,
    // The checkout belongs to another user.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    PATH: process.env.PATH ?? '',
  };
  const done = await all
    .get('control')!
    .run('env', ['-C', SEEN_REPOSITORY, ...asUser, 'sh', '-euc', `trap 'trap "" TERM; kill 0' EXIT\n${commands}`], {
      env,
      extendEnv: false,
      reject: false,
      all: true,
      stdin: 'ignore',
    });
  expect([done.exitCode, done.exitCode === 0 ? '' : `${done.all}\n${logs}`]).toEqual([0, '']);
  const summary = JSON.parse(await readFile(join(shared, 'runs/first/summary.json'), 'utf8'));
  expect(summary).toMatchObject({ run: 'first', statements: 12 });
  expect(summary.provedPerRound[0]).toBeGreaterThan(0);
  // `nodes down` has ended every worker.
  for (const [name] of workers) expect([name, await all.get(name)!.pids(/workers\/host\.ts/u)]).toEqual([name, []]);
  await takeDown();
  expect(await leftovers()).toEqual([]);
});

async function ownerOf({ disk }: Machine): Promise<{ uid: number; gid: number }> {
  const { stdout } = await execa('stat', ['--format', '%u %g', join(disk, HOME)]);
  const [uid, gid] = stdout.split(' ').map(Number) as [number, number];
  return { uid, gid };
}
