/**
 * Tests the Lean service when something goes wrong: clients without a key, with bodies that do not fit, too many or gone; Lean
 * that runs away, eats memory or dies. Costs about 30 s of CPU.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { markedProcesses, untilMarked } from '../../../test/support/processes.ts';
import { readResources } from '../runtime/process/resources.ts';
import { check, post, type Served, serveLean } from '../testing/served.ts';
import { CODE_CHARS_MAX, SNIPPETS_MAX } from './limits.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

/** A snippet that nothing but heartbeats ends. */
const RUNAWAY = 'example : ∀ n : Nat, n = n := by\n  set_option maxHeartbeats 0 in\n  intro n; repeat (have := n)';
/** A snippet that waits without work: what wall time stops costs none. */
const ASLEEP = 'example : True := by\n  sleep 600000\n  trivial';
const FINE = 'theorem a (n : Nat) : n + 0 = n := by simp';

let served: Served;
beforeAll(async () => {
  served = await serveLean({
    driver: 'server',
    processes: 2,
    keys: ['one', 'two'],
    limits: { timeoutSecondsMax: 100 },
  });
});

const key = { authorization: 'Bearer two' };
const ask = (body: unknown, headers: Record<string, string> = key) =>
  post(`${served.server.url}/api/check`, body, { headers });
const one = (code: string, more: object = {}) => ask({ snippets: [{ id: 'a', code }], ...more });

describe('keys', () => {
  it.each([[{}], [{ authorization: 'Bearer three' }], [{ authorization: 'Basic two' }], [{ authorization: 'two' }]])(
    'refuses %j',
    async (headers) => {
      const answer = await ask({ snippets: [{ id: 'a', code: FINE }] }, headers as Record<string, string>);
      expect(answer.status).toBe(401);
      expect(answer.body.detail).toContain('Bearer');
    },
  );

  it('asks for none where only health and the description are told', async () => {
    for (const path of ['/', '/health']) expect((await fetch(served.server.url + path)).status).toBe(200);
    expect((await fetch(`${served.server.url}/api/openapi.json`)).status).toBe(200);
    expect((await fetch(`${served.server.url}/docs/`)).status).toBe(200);
    for (const path of ['/metrics', '/api/environment'])
      expect((await fetch(served.server.url + path)).status).toBe(401);
  });
});

it('answers a path that cannot be decoded in its own form', async () => {
  const answer = await fetch(`${served.server.url}/%zz`);
  expect([answer.status, await answer.json()]).toEqual([400, { detail: expect.stringContaining('%zz') }]);
});

describe('bodies that do not fit', () => {
  it.each([
    ['no JSON', '{"snippets": [', 400, 'JSON'],
    ['no snippets', {}, 422, 'snippets'],
    ['an empty list', { snippets: [] }, 422, 'snippets'],
    ['a snippet alone', { snippets: { id: 'a', code: '' } }, 422, 'snippets'],
    ['an id under the old name', { snippets: [{ custom_id: 'a', code: '' }] }, 422, 'id'],
    [
      'equal ids',
      {
        snippets: [
          { id: 'a', code: '' },
          { id: 'a', code: '' },
        ],
      },
      422,
      'unique',
    ],
    ['code that is no text', { snippets: [{ id: 'a', code: 1 }] }, 422, 'code'],
    ['code that is too long', { snippets: [{ id: 'a', code: ' '.repeat(CODE_CHARS_MAX + 1) }] }, 422, 'code'],
    [
      'too many snippets',
      { snippets: Array.from({ length: SNIPPETS_MAX + 1 }, (_, id) => ({ id: `${id}`, code: '' })) },
      422,
      'snippets',
    ],
    ['no time', { snippets: [{ id: 'a', code: '' }], timeout: 0 }, 422, 'timeout'],
    ['more time than there is', { snippets: [{ id: 'a', code: '' }], timeout: 101 }, 422, '100'],
    ['info trees', { snippets: [{ id: 'a', code: '' }], infotree: 'original' }, 422, 'infotree'],
    ['an unknown kind of info tree', { snippets: [{ id: 'a', code: '' }], infotree: 'all' }, 422, 'infotree'],
    ['more than is read', ' '.repeat(17 * 1024 * 1024), 413, 'large'],
  ])('%s', async (_, body, status, said) => {
    const answer = await ask(body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body.detail)).toContain(said);
  });

  it('of the first version', async () => {
    const legacy = (body: unknown) => post(`${served.server.url}/verify`, body, { headers: key });
    const nothing = await legacy({ codes: [{ custom_id: 1 }] });
    expect(nothing.status).toBe(422);
    expect(nothing.body.detail).toMatchObject([{ loc: ['body', 'codes', 0], msg: expect.stringContaining('proof') }]);
    expect((await legacy({ codes: [{ custom_id: 1, code: FINE }], infotree_type: 'full' })).status).toBe(422);
  });

  it('of another kind', async () => {
    const answer = await post(`${served.server.url}/api/check`, 'a=b', {
      headers: { ...key, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(415);
  });
});

it('describes itself in a document that is valid, and whose schemas take what it sends', async () => {
  const document = (await (await fetch(`${served.server.url}/api/openapi.json`)).json()) as OpenApi;
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(document.paths).sort()).toEqual(
    ['/', '/api/check', '/api/environment', '/health', '/one_pass_verify_batch', '/verify'].sort(),
  );
  const { requestBody, responses } = document.paths['/api/check']!.post!;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  const request = { snippets: [{ id: 'a', code: 'theorem a : 1 = 2 := sorry' }], debug: true, infotree: null };
  expect(ajv.validate(requestBody.content['application/json'].schema, request)).toBe(true);
  expect(ajv.validate(requestBody.content['application/json'].schema, { snippets: [] })).toBe(false);
  const answer = await ask(request);
  expect(ajv.validate(responses['200']!.content['application/json'].schema, answer.body)).toBe(true);
  const refusal = await ask({});
  expect(ajv.validate(responses['422']!.content['application/json'].schema, refusal.body)).toBe(true);
});

it('tells its Lean to a client with a key', async () => {
  const response = await fetch(`${served.server.url}/api/environment`, { headers: key });
  expect(await response.json()).toMatchObject({
    lean: expect.stringContaining('Lean 4'),
    fingerprint: expect.stringMatching(/./),
    driver: 'server',
    sandbox: expect.stringContaining('none'),
    processes: 2,
    timeout_max: 100,
  });
});

describe('Lean', () => {
  it('that comes to no end is stopped in time, and its neighbours are not', { tags: ['slow'] }, async () => {
    const snippets = [ASLEEP, FINE, FINE.replace('n + 0 = n', 'n + 0 = 1')].map((code, id) => ({ id: `${id}`, code }));
    // The neighbours have this long too, on a machine that may stand still for some of it.
    const { body } = await ask({ snippets, timeout: 20 });
    const [endless, fine, wrong] = body.results;
    expect(endless).toMatchObject({ error: expect.stringContaining('timed out'), outcome: 'timeout' });
    expect(endless!.diagnostics).toEqual({ repl_uuid: expect.any(String) });
    expect(endless!.response).toBeUndefined();
    expect(fine!.response).toEqual({ env: 0 });
    expect(wrong!.response).toMatchObject({ messages: [{ severity: 'error' }] });
  });

  it('that dies is told of, and replaced', async () => {
    const checking = one(RUNAWAY, { timeout: 60 });
    const { runMs } = served.pool.stats();
    // The imports are through, and Lean is at the snippet.
    while (served.pool.stats().runMs < runMs + 300) await pause(20);
    for (const pid of await untilMarked(served.runMark)) process.kill(pid, 'SIGKILL');
    const { body } = await checking;
    expect(body.results).toMatchObject([{ outcome: 'crash', error: expect.stringContaining('SIGKILL') }]);
    expect((await one(FINE)).body.results[0]!.response).toEqual({ env: 0 });
  });

  it('that needs more memory than it may have is stopped', async () => {
    const small = await serveLean({ driver: 'server', processes: 1, limits: { memoryBytesMax: 60_000_000 } });
    const [result] = await check(small.server, [FINE]);
    expect(result).toMatchObject({ outcome: 'memory', error: expect.any(String) });
  });

  it('that prints more than is kept is stopped', async () => {
    const code = `def long := "${'x'.repeat(200_000)}"\n${'#print long\n'.repeat(50)}`;
    const [result] = (await one(code, { timeout: 60 })).body.results;
    expect(result).toMatchObject({ outcome: 'output', error: expect.stringContaining('printed more') });
  });

  it('checks snippets that could run code in processes of their own, the others in warm ones', async () => {
    const { server } = await serveLean({ driver: 'server', processes: 1 });
    const uuidOf = async (code: string, more: object = {}) =>
      (await check(server, [code], { debug: true, ...more }))[0]?.diagnostics?.repl_uuid;
    const warm = await uuidOf(FINE);
    expect(await uuidOf('theorem b : 1 = 1 := rfl')).toBe(warm);
    const running = await uuidOf('#eval 1 + 1');
    expect(running).not.toBe(warm);
    expect(await uuidOf(FINE)).not.toBe(running);
    const fresh = await uuidOf(FINE, { reuse: false });
    expect(await uuidOf(FINE)).not.toBe(fresh);
  });
});

describe('clients', () => {
  it('that leave take their work with them: its process is gone, and the next client has another', async () => {
    const { server, runMark, pool } = await serveLean({ driver: 'server', processes: 1 });
    const leaving = new AbortController();
    const snippets = [{ id: 'a', code: RUNAWAY }];
    const asking = post(`${server.url}/api/check`, { snippets, timeout: 100 }, { signal: leaving.signal });
    const running = await untilBusy(runMark);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    while (running.some((pid) => markedProcesses(runMark).includes(pid))) await pause(20);
    expect(await check(server, [FINE])).toMatchObject([{ response: { env: 0 } }]);
    expect(pool.stats().busy).toBe(0);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('stp_lean_requests_total{route="/api/check",status="499"} 1');
  });

  it('wait for a process as long as they are told, then get 429 and come back', async () => {
    const { server, runMark } = await serveLean({ driver: 'server', processes: 1, limits: { waitMs: 200 } });
    const leaving = new AbortController();
    const snippets = [{ id: 'a', code: RUNAWAY }];
    const asking = post(`${server.url}/api/check`, { snippets, timeout: 100 }, { signal: leaving.signal });
    asking.catch(() => {});
    await untilBusy(runMark);
    const refused = await post(`${server.url}/api/check`, {
      snippets: [
        { id: 'b', code: FINE },
        { id: 'c', code: FINE },
      ],
    });
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toContain('No available REPLs');
    expect(refused.headers.get('retry-after')).toBe('1');
    leaving.abort();
    let answer = refused;
    while (answer.status === 429)
      answer = await post(`${server.url}/api/check`, { snippets: [{ id: 'b', code: FINE }] });
    expect(answer.body.results).toMatchObject([{ id: 'b', response: { env: 0 } }]);
  });

  it('that are more than are served at once get 429 too', async () => {
    const { server, runMark } = await serveLean({ driver: 'server', processes: 1, limits: { requestsInFlight: 1 } });
    const leaving = new AbortController();
    const snippets = [{ id: 'a', code: RUNAWAY }];
    post(`${server.url}/api/check`, { snippets, timeout: 100 }, { signal: leaving.signal }).catch(() => {});
    await untilBusy(runMark);
    expect((await post(`${server.url}/api/check`, { snippets })).status).toBe(429);
    leaving.abort();
  });

  it('of two headers, many at once, each get their own answers', async () => {
    const { server, pool } = await serveLean({ driver: 'server', processes: 2 });
    const headers = ['', 'import Init.Data.List.Basic\n'];
    const requests = Array.from({ length: 12 }, async (_, index) => {
      const codes = Array.from(
        { length: 4 },
        (__, at) => `${headers[index % 2]}theorem t${index} : ${index} + ${at} = ${index + at + (at % 2)} := rfl`,
      );
      return check(server, codes);
    });
    for (const results of await Promise.all(requests))
      expect(results.map(({ response }) => (response?.messages?.length ?? 0) > 0)).toEqual([false, true, false, true]);
    const { started, reused, waiting, busy } = pool.stats();
    expect(reused).toBeGreaterThan(0);
    expect({ waiting, busy }).toEqual({ waiting: 0, busy: 0 });
    expect(started).toBeLessThan(48);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('stp_lean_checks_total{outcome="checked"} 48');
    expect(metrics).toContain('stp_lean_check_seconds_count 48');
    expect(metrics).toContain(`stp_lean_processes_reused_total ${reused}`);
    expect(metrics).toContain('stp_lean_processes 2');
  });

  it('are waited for when the server closes, and turned away meanwhile', async () => {
    const { server, pool, runMark } = await serveLean({ driver: 'server', processes: 1, limits: { drainMs: 300 } });
    const snippets = [{ id: 'a', code: RUNAWAY }];
    const asking = post(`${server.url}/api/check`, { snippets, timeout: 100 });
    await untilBusy(runMark);
    const closing = server.close();
    expect((await asking).status).toBe(503);
    await closing;
    await pool.close();
    expect(markedProcesses(runMark)).toEqual([]);
  });
});

/** Processes of the service once one of them has worked for a while. */
async function untilBusy(runMark: string): Promise<number[]> {
  for (;;) {
    for (const pid of markedProcesses(runMark))
      if (((await readResources(pid))?.cpuMs ?? 0) > 600) return markedProcesses(runMark);
    await pause(20);
  }
}

it('reported no internal failure', () => {
  expect(served.failures).toEqual([]);
});

interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, { post?: Operation; get?: Operation }>;
}
interface Operation {
  readonly requestBody: { content: { 'application/json': { schema: object } } };
  readonly responses: Record<string, { content: { 'application/json': { schema: object } } }>;
}
