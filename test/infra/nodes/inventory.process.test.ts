/**
 * Tests machines of an inventory: the file's form, and workers that are started, used and ended over `ssh`. The
 * stand-in for ssh runs its commands on this machine, with a separate home folder for each host; `localhost` is used
 * for real. Costs about 5 s.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type InventoryHost, readInventory } from '../../../infra/nodes/inventory.ts';
import { startWorkers, stopWorkers } from '../../../infra/nodes/inventory-workers.ts';
import { onHost } from '../../../infra/nodes/ssh.ts';

const run = promisify(execFile);
const PATH = process.env.PATH!;
const HOME = process.env.HOME;
let folder: string;
let bundleFile: string;

/**
 * A stand-in for ssh: options, `--`, the destination, one line for the shell there. Hosts named `gone` do not exist.
 */
const SSH = `#!/bin/sh
printf '%s\\n' "$*" >> "$FOLDER/ssh-calls"
while [ "$1" != -- ]; do shift; done
case "$2" in *gone*) echo "ssh: connect to host gone port 22: No route to host" >&2; exit 255;; esac
HOME="$FOLDER/home-\${2##*@}"; mkdir -p "$HOME"; export HOME; cd "$HOME"
exec /bin/sh -c "$3"
`;
/** Stands for Node in the bundle: writes down what it was given and waits, with a child of its own. */
const NODE = `#!/bin/sh
env | grep -E '^(STP_|TEMPORAL_)' | sort > "$HOME/environment-$(echo "$STP_HOST_QUEUE" | tr / _)"
echo "$@" >> "$HOME/started"
sleep 300 &
wait
`;

const host = (values: Partial<InventoryHost>): InventoryHost => ({
  name: 'one',
  address: 'one.example',
  user: null,
  port: null,
  slots: 1,
  labels: {},
  ...values,
});

const HERE = host({ name: 'here', address: 'localhost' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-inventory-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', 'ssh'), SSH);
  await chmod(join(folder, 'bin', 'ssh'), 0o755);
  const bundle = join(folder, 'bundle');
  await mkdir(join(bundle, 'node_modules/node/bin'), { recursive: true });
  await writeFile(join(bundle, 'node_modules/node/bin/node'), NODE);
  await chmod(join(bundle, 'node_modules/node/bin/node'), 0o755);
  bundleFile = join(folder, 'worker.tar.gz');
  await run('tar', ['-czf', bundleFile, '-C', bundle, '.']);
  process.env.PATH = `${join(folder, 'bin')}${delimiter}${PATH}`;
  process.env.FOLDER = folder;
});
afterAll(async () => {
  await stopWorkers([host({ slots: 2 }), host({ name: 'two', address: 'two.example' }), HERE], () => undefined);
  process.env.PATH = PATH;
  process.env.HOME = HOME;
  delete process.env.FOLDER;
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await rm(join(folder, 'ssh-calls'), { force: true });
});

/** Counts sleeping processes whose environment contains the folder of this test. */
async function sleepers(): Promise<number> {
  let count = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (
        command.startsWith('sleep\u0000300') &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`FOLDER=${folder}`)
      )
        count += 1;
    } catch {
      // Gone meanwhile.
    }
  return count;
}

/** Polls until the condition holds; the test's limit bounds it. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('an inventory file', () => {
  const read = async (text: string): Promise<readonly InventoryHost[]> => {
    const path = join(folder, 'hosts');
    await writeFile(path, text);
    return readInventory(path);
  };

  it('is JSON or YAML', async () => {
    const expected = [host({ user: 'prover', slots: 2, labels: { rack: 'a' } })];
    const [json] = expected;
    expect(await read(JSON.stringify({ hosts: [json] }))).toEqual(expected);
    expect(
      await read('hosts:\n  - {name: one, address: one.example, user: prover, slots: 2, labels: {rack: a}}\n'),
    ).toEqual(expected);
  });

  it.each([
    ['{"hosts": []}', /hosts/],
    ['{"hosts": [{"name": "a", "address": "-oProxyCommand=touch x"}]}', /hosts\.0\.address/],
    ['{"hosts": [{"name": "a b", "address": "a"}]}', /hosts\.0\.name/],
    ['{"hosts": [{"name": "a", "address": "a", "user": "a;b"}]}', /hosts\.0\.user/],
    ['{"hosts": [{"name": "a", "address": "a"}, {"name": "a", "address": "b"}]}', /two hosts are called a/],
    ['hosts: [', /hosts/],
  ])('%s is STP1001', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'STP1001', message: expect.stringMatching(message) });
  });
});

describe('workers on machines of an inventory', () => {
  it('are installed once, started for every slot with a queue each, and ended with their children', async () => {
    const hosts = [host({ slots: 2, user: 'prover', port: 2222 }), host({ name: 'two', address: 'two.example' })];
    const secret = "a 'secret' $HOME";
    const environment = { TEMPORAL_ADDRESS: 'temporal.example:7233', STP_KEY: secret };
    const start = () => startWorkers(hosts, { bundleFile, environment, onProgress: () => undefined });
    expect(await start()).toEqual([
      { host: 'one', problem: null },
      { host: 'two', problem: null },
    ]);
    await until(async () => (await sleepers()) === 3);
    const home = join(folder, 'home-one.example');
    expect(readFileSync(join(home, 'environment-host_one_1'), 'utf8').split('\n')).toEqual([
      'STP_HOST_QUEUE=host/one/1',
      `STP_KEY=${secret}`,
      'TEMPORAL_ADDRESS=temporal.example:7233',
      '',
    ]);
    const calls = readFileSync(join(folder, 'ssh-calls'), 'utf8');
    expect(calls).toMatch(/^-o BatchMode=yes -o ConnectTimeout=10 -p 2222 -- prover@one\.example /m);
    expect(calls).not.toContain('secret');
    // A second start copies and starts nothing.
    await start();
    expect(readFileSync(join(home, 'started'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(await sleepers()).toBe(3);
    expect(await stopWorkers(hosts, () => undefined)).toEqual([
      { host: 'one', problem: null },
      { host: 'two', problem: null },
    ]);
    await until(async () => (await sleepers()) === 0);
    expect(await stopWorkers(hosts, () => undefined)).toMatchObject([{ problem: null }, { problem: null }]);
  });

  it('that cannot be reached or have no bundle say so, and keep no other from starting', async () => {
    const hosts = [host({ name: 'gone', address: 'gone.example' }), host({ name: 'bare', address: 'bare.example' })];
    const results = await startWorkers(hosts, { bundleFile: null, environment: {}, onProgress: () => undefined });
    expect(results).toEqual([
      { host: 'gone', problem: expect.stringContaining('cannot be reached: ssh: connect to host gone') },
      { host: 'bare', problem: expect.stringContaining('no worker is installed') },
    ]);
  });

  it('takes arguments as they are, over ssh and on this machine', async () => {
    const words = ["it's", '$(touch x)', 'a  b', '; exit 3'];
    for (const address of ['one.example', 'localhost']) {
      const { exitCode, output } = await onHost(host({ address }), ['printf', '<%s>\n', ...words], {
        timeoutMs: 120_000,
      });
      expect([exitCode, output]).toEqual([0, words.map((word) => `<${word}>`).join('\n')]);
    }
    expect(await onHost(host({ address: 'localhost' }), ['sh', '-c', 'exit 4'], { timeoutMs: 120_000 })).toMatchObject({
      exitCode: 4,
      isUnreachable: false,
    });
    expect(await onHost(host({ address: 'localhost' }), ['sleep', '60'], { timeoutMs: 200 })).toMatchObject({
      timedOut: true,
    });
  });

  it('leaves alone what has got the number of a worker that is gone, and starts another', async () => {
    const home = join(folder, 'home-reborn.example', '.stp-selfplay');
    await mkdir(home, { recursive: true });
    const hosts = [host({ name: 'reborn', address: 'reborn.example' })];
    const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    await writeFile(join(home, 'worker-reborn-0.pid'), `${stranger.pid}\n`);
    await stopWorkers(hosts, () => undefined);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
    await writeFile(join(home, 'worker-reborn-0.pid'), `${stranger.pid}\n`);
    await startWorkers(hosts, { bundleFile, environment: {}, onProgress: () => undefined });
    await until(async () => (await sleepers()) === 1);
    await stopWorkers(hosts, () => undefined);
    await until(async () => (await sleepers()) === 0);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  });

  it('may write much: its end is kept, and how it ended', async () => {
    for (const address of ['one.example', 'localhost']) {
      const script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end; exit 3";
      const { exitCode, output, isUnreachable } = await onHost(host({ address }), ['sh', '-c', script], {
        timeoutMs: 120_000,
      });
      expect([exitCode, isUnreachable, output.length, output.slice(-5)]).toEqual([3, false, 1_000_000 - 1, 'x\nend']);
    }
  });

  it('start and end on localhost for real', async () => {
    process.env.HOME = join(folder, 'home-here');
    await mkdir(process.env.HOME, { recursive: true });
    const hosts = [HERE];
    expect(await startWorkers(hosts, { bundleFile, environment: {}, onProgress: () => undefined })).toEqual([
      { host: 'here', problem: null },
    ]);
    await until(async () => (await sleepers()) === 1);
    expect(existsSync(join(process.env.HOME, '.stp-selfplay', 'worker'))).toBe(true);
    await stopWorkers(hosts, () => undefined);
    await until(async () => (await sleepers()) === 0);
  });
});
