/**
 * Tests `bin/stp lean serve` as a process: its requirements, its end and its leftovers, and a worker whose settings
 * name it. Costs about 20 s of CPU. Slow tier: a dozen service processes are started and ended. Tests beside this file
 * cover the answers, in one process.
 *
 * @module-tag slow
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { RUN_MARK } from '@stp/base/files';
import { resolveConfig } from '@stp/config';
import { post } from '@stp/lean-verifier/testing-hooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { type LeanService, startLeanService } from '../support/lean-service.ts';
import { freePort } from '../support/ports.ts';
import { stp } from '../support/stp.ts';

const RUNAWAY = 'example : ∀ n : Nat, n = n := by\n  set_option maxHeartbeats 0 in\n  intro n; repeat (have := n)';

/** Starts the command and waits until it serves. It is killed at the end of the test if it still runs. */
async function startServe(args: readonly string[] = [], env: Record<string, string> = {}): Promise<LeanService> {
  const service = await startLeanService({ args, env });
  onTestFinished(() => service.close());
  return service;
}

/**
 * Returns the services' Lean processes that work in `scratch`, found by their folder or their sandbox's arguments.
 */
function leanIn(scratch: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${RUN_MARK}=lean-serve@`)) return false;
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes(scratch) || readlinkSync(`/proc/${pid}/cwd`).startsWith(scratch);
    } catch {
      return false;
    }
  });
}

/** Waits until a process of the service works on a snippet. */
async function untilChecking(url: string, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
    if (/^stp_lean_processes_busy 1$/m.test(metrics)) return;
    await pause(20);
  }
}

it('serves with a key, and on SIGTERM finishes, ends its processes and leaves nothing behind', async () => {
  const { command, scratch, url } = await startServe(['--processes', '1', '--driver', 'server'], {
    STP_LEAN_SERVE_KEYS: 'one, two',
  });
  const body = {
    snippets: [
      { id: 'a', code: 'import Stp.Nat\n#check Nat' },
      { id: 'b', code: '#check Nat' },
    ],
  };
  expect((await post(`${url}/api/check`, body, { headers: { authorization: 'Bearer three' } })).status).toBe(401);
  const headers = { authorization: 'Bearer two' };
  const { body: answer } = await post(`${url}/api/check`, body, { headers });
  expect(answer.results[1]).toMatchObject({ response: { messages: [{ data: 'Nat : Type' }] } });
  const slow = post(`${url}/api/check`, { snippets: [{ id: 'a', code: RUNAWAY }], timeout: 2 }, { headers });
  await untilChecking(url, headers);
  expect(leanIn(scratch)).not.toEqual([]);
  command.kill('SIGTERM');
  expect((await slow).body.results).toMatchObject([{ outcome: 'timeout' }]);
  const { exitCode, all } = await command;
  expect(exitCode).toBe(0);
  expect(all).toContain(url);
  expect(all).not.toMatch(/\b(one|two)\b/);
  expect(readdirSync(scratch)).toEqual([]);
  expect(leanIn(scratch)).toEqual([]);
});

describe('is refused', () => {
  it.each([
    ['for all the world without a key', ['--host', '0.0.0.0'], 'STP_LEAN_SERVE_KEYS', 2],
    ['on a port that cannot be', ['--port', '70000'], 'port', 2],
    ['with an unknown driver', ['--driver', 'telnet'], 'driver', 2],
    ['without memory', ['--memory-mb', '1'], 'memory', 2],
  ])('%s', async (_, args, said, code) => {
    const env = { STP_LEAN_SERVE_KEYS: '' };
    const result = await stp(['lean', 'serve', '--port', String(await freePort()), ...args], { env });
    expect(result.all).toContain(said);
    expect(result.exitCode).toBe(code);
  });
});

it('checks for a worker whose settings name it', async () => {
  const { url } = await startServe(['--processes', '1'], { STP_LEAN_SERVE_KEYS: 'secret' });
  const folder = mkdtempSync(join(tmpdir(), 'stp-lean-worker-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  process.env.STP_LEAN_KEY = 'secret';
  const settings = {
    ...workerSettings({
      STP_LEAN_URL: url,
      STP_STORE: pathToFileURL(folder).href,
      STP_SCRATCH: join(folder, 'scratch'),
    }),
    cacheDirectory: workerSettings().cacheDirectory,
  };
  const ports = await assemblePorts(settings, await leanEnvironment(settings, () => {}));
  onTestFinished(() => ports.close());
  const { verification } = resolveConfig({ preset: 'smoke', environment: {}, flags: {} });
  const verifier = await ports.verifier('remote-run', { ...verification, sandbox: 'where-available' });
  // A random name, so that no cache has a verdict.
  const name = `p${randomBytes(6).toString('hex')}`;
  const results = await verifier.check([
    { id: 'a', header: null, statement: `theorem ${name} (n : Nat) : n + 0 = n`, proof: `have ${name} := n\nsimp` },
    { id: 'b', header: null, statement: `theorem ${name} (n : Nat) : n + 0 = 1`, proof: `have ${name} := n\nsimp` },
  ]);
  expect(results.map(({ kind, fromCache }) => [kind, fromCache])).toEqual([
    ['proved', false],
    ['rejected', false],
  ]);
  const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer secret' } })).text();
  expect(metrics).toMatch(/^stp_lean_checks_total\{outcome="checked"\} (?:[2-9]|\d\d+)$/m);
});
