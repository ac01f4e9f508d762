/**
 * The Python package of packages/python with the standard library alone: its own tests, and real servers that are killed while
 * it waits for verdicts. About a minute of a core.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { post } from '@stp/lean-verifier/testing-hooks';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLeanService } from '../support/lean-service.ts';
import { REPOSITORY, STP } from '../support/stp.ts';
import { systemPython } from './python.ts';

const PACKAGE = join(REPOSITORY, 'packages/python');
const LIMIT_MS = 280_000;
const SLOW = { tags: ['slow'], timeout: LIMIT_MS };
const python = systemPython()?.command ?? null;
if (python === null) console.log('skipped: the Python package (there is no python3)');

/** A script that tells in JSON lines; killed at the end of the test. */
function start(given: object) {
  const process = execa(python!, [join(import.meta.dirname, 'verifier_package.py')], {
    input: `${JSON.stringify(given)}\n`,
    reject: false,
    all: true,
  });
  onTestFinished(async () => {
    process.kill('SIGKILL');
    await process;
  });
  const lines = process.iterable()[Symbol.asyncIterator]();
  return {
    process,
    async next<Told>(): Promise<Told> {
      const { value, done } = await lines.next();
      if (done) throw new Error(String((await process).all));
      return JSON.parse(String(value)) as Told;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await pause(50);
}

async function untilMetric(url: string, wanted: RegExp): Promise<void> {
  while (!wanted.test(await (await fetch(`${url}/metrics`)).text())) await pause(20);
}

describe.skipIf(python === null)('the Python package', () => {
  it('is installed by pip from its folder, without other packages', SLOW, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stp-pip-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await execa(python!, ['-m', 'venv', folder]);
    const own = join(folder, 'bin', 'python');
    const copy = join(folder, 'package');
    // pip builds in the folder that it installs from.
    cpSync(PACKAGE, copy, { recursive: true });
    const pip = await execa(own, ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', copy], {
      reject: false,
      all: true,
    });
    if (/Could not (?:fetch|find)|ConnectionError|Connection(?:Reset|Refused)/u.test(pip.all)) {
      console.log(`skipped: the installation by pip (${pip.all.split('\n').at(-1)})`);
      return;
    }
    expect(pip.all).toMatch(/Successfully installed stp-verifier-\d/u);
    const { stdout } = await execa(
      own,
      ['-c', 'import stp_verifier, os; print(os.listdir(os.path.dirname(stp_verifier.__file__)))'],
      { cwd: folder },
    );
    expect(stdout).toContain("'py.typed'");
    const { stdout: listed } = await execa(own, [
      '-m',
      'pip',
      'list',
      '--format=freeze',
      '--disable-pip-version-check',
    ]);
    expect(listed.split('\n').filter((line) => !/^(?:pip|setuptools)==/u.test(line))).toEqual(['stp-verifier==0.1.0']);
  });

  it('passes its own tests', async () => {
    const { all, exitCode } = await execa(python!, ['-m', 'unittest', 'discover', '-s', 'tests'], {
      ...{ cwd: PACKAGE, reject: false, all: true },
      env: { PYTHONPATH: join(PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'error' },
    });
    expect(all).toMatch(/^Ran \d\d tests/m);
    expect({ exitCode, all }).toMatchObject({ exitCode: 0, all: expect.stringMatching(/\nOK$/u) });
  });

  it('starts a server, starts it again when it is killed, and gets every verdict', { timeout: LIMIT_MS }, async () => {
    const script = start({ task: 'own', stp: STP, killAfter: 1.5 });
    const first = await script.next<{ pid: number; lean: string }>();
    expect(first.lean).toMatch(/^Lean /u);
    const last = await script.next<{ pid: number; verdicts: string[] }>();
    expect(last.verdicts).toEqual(Array.from({ length: 24 }, (_, n) => (n % 5 === 0 ? 'rejected' : 'proved')));
    expect(last.pid).not.toBe(first.pid);
    expect((await script.process).exitCode).toBe(0);
    expect([first.pid, last.pid].filter(isAlive)).toEqual([]);
  });

  it('leaves no server behind when a trainer is killed', { timeout: LIMIT_MS }, async () => {
    const script = start({ task: 'leave', stp: STP });
    const { pid } = await script.next<{ pid: number }>();
    expect(isAlive(pid)).toBe(true);
    script.process.kill('SIGKILL');
    await untilGone(pid);
  });

  it('leaves nothing under way when a trainer of another server is killed, and the next one is served', {
    timeout: LIMIT_MS,
  }, async () => {
    const service = await startLeanService({ args: ['--processes', '2'] });
    onTestFinished(() => service.close());
    const first = start({ task: 'other', url: service.url, concurrency: 4 });
    await first.next();
    await untilMetric(service.url, /^stp_lean_requests_in_flight [1-9]/mu);
    first.process.kill('SIGKILL');
    await untilMetric(service.url, /^stp_lean_requests_in_flight 0$/mu);
    const { body } = await post(`${service.url}/api/verify`, {
      rows: [{ id: 'a', header: 'import Init', statement: 'theorem t : 1 = 1', proof: '  rfl' }],
    });
    expect(body.results).toMatchObject([{ id: 'a', verdict: 'proved' }]);
  });

  it('scores a thousand completions once each, though their server is killed under them', SLOW, async () => {
    // Fewer open requests than the trainer makes: some are turned away and come again.
    const args = ['--processes', '2', '--max-requests', '2'];
    const service = await startLeanService({ args });
    onTestFinished(() => service.close());
    const script = start({ task: 'other', url: service.url, concurrency: 6 });
    await script.next();
    // Some batches have their answers, others not.
    await untilMetric(
      service.url,
      /^stp_lean_requests_total\{.*route="\/api\/verify".*status="200".*\} (?:[5-9]|\d\d)/mu,
    );
    service.command.kill('SIGKILL');
    await service.command;
    const again = await startLeanService({ args, port: Number(new URL(service.url).port) });
    onTestFinished(() => again.close());
    const { rewards, answered, asked } = await script.next<{ rewards: number[]; answered: number[]; asked: number }>();
    expect(rewards).toEqual([...Array(250).fill(1), ...Array(750).fill(0)]);
    // Distinct completions, each answered in one request that came through.
    expect(answered).toEqual([1]);
    expect(asked).toBe(950);
  });
});
