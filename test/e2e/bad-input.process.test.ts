/** Tests the answers to bad input: the problem, its position, advice, exit 2, and nothing started. Costs about 10 s. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stp } from '../support/stp.ts';

let directory: string;
let busy: Server;
let busyPort: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-bad-input-'));
  busy = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.once('listening', resolve));
  busyPort = (busy.address() as { port: number }).port;
});
afterAll(async () => {
  busy.close();
  await rm(directory, { recursive: true, force: true });
});

/** Both commands read the same options: the second pass is for the slow tier. */
describe.each([
  ['start', []],
  ['selfplay', ['slow']],
])('stp %s', (command, tags) => {
  it.each([
    [['--rounds', '0'], 'from 1 to 1000'],
    [['--rounds', '-1'], 'from 1 to 1000'],
    [['--rounds', 'two'], 'from 1 to 1000'],
    [['--rounds', '2.5'], 'from 1 to 1000'],
    [['--rounds', '1001'], 'from 1 to 1000'],
    [['--rounds'], 'argument missing'],
    [['--rounds', '1', '--preset', 'smokey'], 'did you mean smoke?'],
    [['--rounds', '1', '--set', 'sampling.temprature=1'], 'did you mean sampling.temperature?'],
    [['--rounds', '1', '--set', 'sampling.temperature=hot'], 'sampling.temperature'],
    [['--rounds', '1', '--set', 'sampling'], 'key=value'],
    [['--rounds', '1', '--config', '/no/such/file.json'], '/no/such/file.json'],
    [['--rounds', '1', '--seed', '-4'], 'seed must be a whole number'],
  ])('refuses %j', { tags: [...tags] }, async (args, expected) => {
    const result = await stp([command, ...args]);
    expect(result.all).toContain(expected);
    expect(result.exitCode).toBe(2);
  });
});

describe('stp', () => {
  it.each([
    [['selfplay', '--roundz', '2'], '--rounds'],
    [['start', '--rounds', '1', '--task-que', 'x'], 'did you mean --task-queue?'],
    [['selfpaly'], 'selfplay'],
  ])('names the nearest known word for %j', async (args, expected) => {
    const result = await stp(args);
    expect(result.all).toMatch(/unknown (option|command)/);
    expect(result.all).toContain(expected);
    expect(result.exitCode).toBe(2);
  });
  it('start needs --rounds', async () => {
    const result = await stp(['start']);
    expect(result.all).toContain("required option '--rounds <n>' not specified");
    expect(result.exitCode).toBe(2);
  });
  it('explains every option', async () => {
    for (const command of ['selfplay', 'start', 'check', 'dev', 'setup', 'doctor', 'clean']) {
      const result = await stp([command, '--help']);
      expect(result.exitCode).toBe(0);
      expect(result.stdout).toContain('Usage: stp');
    }
  });
  it('reads a configuration file with a byte order mark, and refuses a key twice', async () => {
    const path = join(directory, 'config.json');
    const config = () => stp(['config', '--config', path, '--json']);
    await writeFile(path, '\ufeff{"rounds":3}');
    expect(JSON.stringify((await config()).stdout)).toMatch(/rounds\W+3/);
    await writeFile(path, '{"rounds":3,"rounds":4}');
    const refused = await config();
    expect(refused.all).toContain(`STP1001 invalid configuration: ${path} has two keys rounds`);
    expect(refused.exitCode).toBe(2);
    await writeFile(path, Buffer.from([0x22, 0xff, 0x22]));
    expect((await config()).all).toContain(`STP1001 invalid configuration: ${path} cannot be read as JSON`);
  });
  it('says which port is taken', async () => {
    const result = await stp([
      'selfplay',
      '--preset',
      'smoke',
      '--rounds',
      '1',
      '--run-dir',
      join(directory, 'port'),
      '--port',
      String(busyPort),
    ]);
    expect(result.all).toContain('STP1102');
    expect(result.all).toContain(String(busyPort));
    expect(result.exitCode).toBe(2);
  });
  it('says when the run folder cannot be written', async () => {
    const result = await stp(['selfplay', '--preset', 'smoke', '--rounds', '1', '--run-dir', '/proc/stp/run']);
    expect(result.all).toContain('STP1401');
    expect(result.exitCode).toBe(1);
  });
  it('says when the folder for scratch files cannot be written, before it starts anything', async () => {
    const run = join(directory, 'scratch');
    const result = await stp(['selfplay', '--preset', 'smoke', '--rounds', '1', '--run-dir', run], {
      env: { STP_SCRATCH: '/dev/null' },
    });
    expect(result.all).toMatch(/^STP1401 .*: cannot write to \/dev\/null: .*\n.*STP_SCRATCH/);
    expect(result.exitCode).toBe(1);
  });
  it('says when there is no Temporal at the place it was told', async () => {
    const result = await stp(['selfplay', '--preset', 'smoke', '--rounds', '1', '--run-dir', join(directory, 'none')], {
      env: { STP_TEMPORAL: join(directory, 'temporal') },
    });
    expect(result.all).toContain('STP1101');
    expect(result.exitCode).toBe(1);
  });
  it('says when there is no Lean at the place it was told', async () => {
    const result = await stp(['selfplay', '--preset', 'smoke', '--rounds', '1', '--run-dir', join(directory, 'lean')], {
      env: { STP_LEAN: join(directory, 'lean-that-is-not-there') },
    });
    expect(result.all).toContain('STP1201');
    expect(result.exitCode).toBe(1);
  });
});
