/**
 * Tests real machines of a rehearsal: namespaces, addresses, an ssh server each. Skipped with a message if this machine
 * lacks the requirements. Costs half a minute.
 *
 * @module-tag slow
 */
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThere } from '@stp/base/files';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';
import { CLOCK_LIBRARY } from '../../tools/rehearsal/faults.ts';
import { makeKeys } from '../../tools/rehearsal/installation.ts';
import { Machine } from '../../tools/rehearsal/machine.ts';
import { missing } from '../../tools/rehearsal/needs.ts';
import { addressOf, connect, cut, makeBackbone, namespaces, slow } from '../../tools/rehearsal/network.ts';
import { STATE } from '../../tools/rehearsal/places.ts';
import { begin, leftovers, takeDown } from '../../tools/rehearsal/takedown.ts';

const lacks = (await missing()).filter(({ what }) => !/\bgo\b/.test(what));
for (const { what, get } of lacks) console.log(`machines of a rehearsal are not tested: ${what}. ${get}`);

afterEach(takeDown);

async function twoMachines(): Promise<[Machine, Machine]> {
  const logs = await mkdtemp(join(tmpdir(), 'stp-rehearsal-'));
  await mkdir(join(STATE, 'keys'), { recursive: true });
  const keys = await makeKeys(join(STATE, 'keys'));
  await makeBackbone();
  const machines: Machine[] = [];
  for (const [index, name] of ['control', 'worker-1'].entries()) {
    await connect(name, addressOf(index));
    const machine = new Machine(name, addressOf(index), { logs, keys, hosts: '127.0.0.1 localhost\n' });
    await machine.makeDisk(200);
    await machine.boot();
    machines.push(machine);
  }
  const [control, worker] = machines as [Machine, Machine];
  await copyFile(join(STATE, 'keys/login'), join(control.disk, 'root/.ssh/id_ed25519'));
  const hostKey = await readFile(join(STATE, 'keys/host.pub'), 'utf8');
  await writeFile(join(control.disk, 'root/.ssh/known_hosts'), `${worker.address} ${hostKey}`);
  return [control, worker];
}

it.skipIf(lacks.length > 0)(
  'reach each other, can be cut off, slowed, filled, killed and have another clock, and leave nothing',
  async () => {
    expect(await begin()).toBeNull();
    const [control, worker] = await twoMachines();
    const ssh = async (line: string): Promise<string> => {
      const words = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=5', '--', `prover@${worker.address}`, line];
      const { all } = await control.run('ssh', words, { reject: false, all: true });
      return String(all);
    };
    expect(await ssh('hostname; whoami')).toBe('worker-1\nprover');
    const rejoin = await cut('worker-1');
    expect(await ssh('hostname')).toMatch(/timed out|No route/);
    await rejoin();
    const { heal } = await slow('worker-1');
    await heal();
    const empty = await worker.fillDisk();
    expect(await ssh('cat /etc/hosts > kept || echo refused')).toContain('refused');
    await empty();
    expect(await ssh('echo kept > kept; cat kept')).toBe('kept');
    await ssh('touch /dev/shm/stp-rehearsed');
    expect(await isThere('/dev/shm/stp-rehearsed')).toBe(false);
    await worker.kill();
    await worker.boot();
    expect(await ssh('cat kept')).toBe('kept');
    await worker.kill();
    await worker.boot({ library: CLOCK_LIBRARY, offset: '+7200' });
    expect(Number(await ssh('date +%s')) - Date.now() / 1_000).toBeGreaterThan(3_600);
    await takeDown();
    expect(await leftovers()).toEqual([]);
  },
);

it.skipIf(lacks.length > 0)('of a rehearsal that was killed are taken down by the next', async () => {
  const script = `
    const { begin } = await import('${join(import.meta.dirname, '../../tools/rehearsal/takedown.ts')}');
    const { makeBackbone, connect } = await import('${join(import.meta.dirname, '../../tools/rehearsal/network.ts')}');
    await begin();
    await makeBackbone();
    await connect('control', '10.77.0.12');
    process.kill(process.pid, 'SIGKILL');`;
  const killed = await execa(process.execPath, ['--input-type=module', '--eval', script], { reject: false });
  expect(killed.signal).toBe('SIGKILL');
  expect(await namespaces()).toHaveLength(2);
  expect(await begin()).toContain('2 namespaces');
  expect(await leftovers()).toEqual([]);
});

it.skipIf(lacks.length > 0)('are left alone while their rehearsal lives', async () => {
  const script = `
    const { begin } = await import('${join(import.meta.dirname, '../../tools/rehearsal/takedown.ts')}');
    const { makeBackbone } = await import('${join(import.meta.dirname, '../../tools/rehearsal/network.ts')}');
    await begin();
    await makeBackbone();
    console.log('up');
    setInterval(() => undefined, 1_000);`;
  const living = execa(process.execPath, ['--input-type=module', '--eval', script], { reject: false });
  await once(living.stdout, 'data');
  await expect(begin()).rejects.toMatchObject({ code: 'STP1002' });
  // The rehearsal takes down only what it has set up.
  await takeDown();
  expect(await namespaces()).toHaveLength(1);
  living.kill('SIGKILL');
  await living;
  expect(await begin()).toContain('1 namespaces');
});
