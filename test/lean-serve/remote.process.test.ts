/**
 * A verifier over Lean servers gives the verdicts of one over local processes, also when servers are full, fail,
 * disconnect, answer slowly or nonsense, or are dead. Costs about 30 s of CPU.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import {
  type Candidate,
  type LeanEnvironment,
  openRemotePool,
  openVerifier,
  type RemotePoolOptions,
  type Verifier,
} from '@stp/lean-verifier';
import { coreEnvironment, scratchFolder } from '@stp/lean-verifier/testing';
import { type Served, serveLean } from '@stp/lean-verifier/testing-hooks';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { workerSettings } from '../../workers/settings.ts';
import { killMarked, markedProcesses, untilMarked } from '../support/processes.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const HEADER = 'import Init\nopen Nat';
/** Heartbeats hardly bound it, so the time limit does. */
const LONG = 'intro n; repeat (have := n)';

/** Statement, proof, and the header if it is not the default. */
const CORPUS: readonly (readonly [string, string, string?])[] = [
  ['theorem p (n : Nat) : n + 0 = n', 'simp'],
  ['theorem p (n : Nat) : n + 0 = n', '  simp'],
  ['theorem p (a b : Nat) : a + b = b + a', 'omega'],
  ['theorem p (a b : Nat) : a + b = b + a', 'exact Nat.add_comm a b'],
  ['theorem p (a b c : Nat) (h : a ≤ b) : a + c ≤ b + c', 'omega'],
  ['theorem p (xs : List Nat) : xs ++ [] = xs', 'simp'],
  ['theorem p (xs : List Nat) : xs ++ [] = xs', 'induction xs with\n| nil => rfl\n| cons x xs ih => simp'],
  ['theorem p (p q : Prop) (hp : p) (hq : q) : p ∧ q', 'exact ⟨hp, hq⟩'],
  ['theorem p (p q : Prop) (h : p ∨ q) : q ∨ p', 'cases h with\n| inl h => exact Or.inr h\n| inr h => exact Or.inl h'],
  ['theorem p : ∃ n : Nat, n * n = 49', 'exact ⟨7, rfl⟩'],
  ['theorem p : succ 1 = 2', 'rfl'],
  ['theorem p (b : Bool) : (b && false) = false', 'cases b <;> rfl', 'import Init.Data.List.Basic'],
  ['theorem p (n : Nat) : n + 1 = n', 'simp'],
  ['theorem p (n : Nat) : n + 1 = n', 'omega'],
  ['theorem p : 1 = 2', 'rfl'],
  ['theorem p : 1 = 2', 'decide'],
  ['theorem p : ∃ n : Nat, n * n = 50', 'exact ⟨7, rfl⟩'],
  ['theorem p (n : Nat) : n + 0 = n', 'exact nowhere'],
  ['theorem p (n : Nat) : n + 0 = n', 'simp at'],
  ['theorem p (n : Nat) : n + 0 = n', 'have : 1 = 1 := rfl'],
  ['theorem p : 1 = 2', 'exact 𝔸'],
  ['theorem p : 1 = 2', 'sorry'],
  ['theorem p : 1 = 2', 'exact sorryAx _'],
  ['theorem p : 1 = 1', 'rfl\nend'],
  ['theorem p : 1 = 2', 'simp)\naxiom a : 1 = 2\nexample : 1 = 2 := (by exact a'],
  ['theorem p : ∀ n : Nat, n = n', LONG],
  ['theorem p : nowhere = 1', 'rfl'],
  ['theorem p : 1 = 1', 'rfl', 'import Nowhere'],
  ['theorem p : 1 = 1', 'rfl', 'import Init\nopen Nowhere.AtAll'],
  [
    'theorem p (a : Nat) (h : a < 3) : a * a < 9',
    'have : a = 0 ∨ a = 1 ∨ a = 2 := by omega\nrcases this with h | h | h <;> subst h <;> decide',
  ],
  ['theorem p (f : Nat → Nat) (h : ∀ x, f x = x) : f 2 = 2', 'rw [h]'],
  ['theorem p (f : Nat → Nat) (h : ∀ x, f x = x) : f 2 = 3', 'rw [h]'],
];
const candidates: readonly Candidate[] = CORPUS.map(([statement, proof, header = null], index) => ({
  id: String(index),
  statement,
  proof,
  header,
}));

let environment: LeanEnvironment;
let served: Served;
beforeAll(async () => {
  environment = await coreEnvironment();
  process.env.TEST_LEAN_KEY = 'secret';
  served = await serveLean({ driver: 'server', keys: ['secret'] });
});

const common = () => ({
  environment,
  libraryHeader: HEADER,
  cacheDirectory: null,
  scratchDirectory: scratchFolder(),
  premiseNames: ['Nat.add_comm'],
  candidateTimeoutMs: 1_000,
});

async function remote(urls: readonly string[], options: Partial<RemotePoolOptions> = {}): Promise<Verifier> {
  const pool = await openRemotePool({
    urls,
    keyVariable: 'TEST_LEAN_KEY',
    environment,
    sandboxRequired: false,
    firstRetryMs: 5,
    ...options,
  });
  const verifier = await openVerifier({ ...common(), pool });
  onTestFinished(async () => {
    await verifier.close();
    await pool.close();
  });
  return verifier;
}

/** A server of this test between client and Lean server; `meddle` answers by itself or says that it does not. */
async function between(
  meddle: (request: IncomingMessage, response: ServerResponse, body: string) => boolean,
): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    if (meddle(request, response, body)) return;
    const passed = await fetch(served.server.url + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const isCheck = (request: IncomingMessage): boolean => request.url === '/api/check';
/** Two true candidates and a rejected one. */
const FEW = [candidates[0]!, candidates[2]!, candidates[13]!];
const FEW_KINDS = ['proved', 'proved', 'rejected'];
const kindsOf = (results: readonly { kind: string }[]): string[] => results.map(({ kind }) => kind);

it('gives the verdicts, messages, premises and axioms of processes here', { tags: ['slow'] }, async () => {
  const local = await openVerifier({ ...common(), processes: 2, driver: 'json' });
  onTestFinished(() => local.close());
  const here = await local.check(candidates);
  const there = await (await remote([served.server.url])).check(candidates);
  // A service reveals no folder of its machine.
  const folder = dirname(dirname(environment.executable));
  const judged = (results: typeof here) =>
    results.map(({ id, kind, messages, premises, axioms }) => ({
      ...{ id, kind, premises, axioms },
      messages: messages.map((message) => ({ ...message, text: message.text.replaceAll(folder, '<LEAN>') })),
    }));
  expect(judged(there)).toEqual(judged(here));
  expect(new Set(kindsOf(here))).toEqual(
    new Set(['proved', 'rejected', 'forbidden', 'timeout', 'header_error', 'sorry']),
  );
  const proved = there.filter(({ kind }) => kind === 'proved');
  expect(proved.length).toBeGreaterThanOrEqual(12);
  for (const { checkMs, peakResidentBytes } of proved) {
    expect(checkMs).toBeGreaterThan(0);
    expect(peakResidentBytes).toBeGreaterThan(50_000_000);
  }
  const statements = candidates.map(({ id, header, statement }) => ({ id, header, statement }));
  const verifier = await remote([served.server.url]);
  const kinds = kindsOf(await verifier.checkStatements(statements));
  expect(kinds).toEqual(kindsOf(await local.checkStatements(statements)));
  expect(new Set(kinds)).toEqual(new Set(['accepted', 'rejected', 'header_error']));
});

describe('goes on', () => {
  it.each([
    ['a connection that breaks', (response: ServerResponse) => response.destroy()],
    [
      'an answer that breaks off',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-length': 99 }).write('{', () => response.destroy()),
    ],
    [
      'a server that is full',
      (response: ServerResponse) =>
        response.writeHead(429, { 'retry-after': '0' }).end('{"detail":"No available REPLs"}'),
    ],
    ['a server that fails', (response: ServerResponse) => response.writeHead(500).end('REPL failed')],
    ['a proxy without its server', (response: ServerResponse) => response.writeHead(502).end('<html>')],
    ['a page in place of an answer', (response: ServerResponse) => response.writeHead(200).end('<html>')],
    ['an answer about nothing', (response: ServerResponse) => response.writeHead(200).end('{"results":[]}')],
  ])('after %s', async (_, fault) => {
    let faults = 0;
    const url = await between((request, response) => {
      if (!isCheck(request) || faults >= 4) return false;
      faults += 1;
      fault(response);
      return true;
    });
    expect(kindsOf(await (await remote([url])).check(FEW))).toEqual(FEW_KINDS);
    expect(faults).toBe(4);
  });

  it('with another server when one is gone', async () => {
    const gone = await between((_, response) => {
      response.destroy();
      return true;
    });
    expect(kindsOf(await (await remote([gone, served.server.url])).check(FEW))).toEqual(FEW_KINDS);
  });

  it('when Lean is killed on the server', async () => {
    const verifier = await remote([served.server.url]);
    let over = false;
    const checking = verifier.check(candidates.filter(({ proof }) => proof !== LONG)).finally(() => {
      over = true;
    });
    await untilMarked(served.runMark);
    // After the check no process replaces the killed ones.
    for (let kills = 0; kills < 3 && !over; kills += 1) {
      killMarked(served.runMark);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    const kinds = kindsOf(await checking);
    expect(kinds.slice(0, 12)).toEqual(new Array(12).fill('proved'));
    expect(kinds).not.toContain('crash');
    expect(kinds).not.toContain('infra');
  });
});

describe('has no verdict', () => {
  it('of a server that stays away: infra, not the fault of the proof', async () => {
    let isGone = false;
    const url = await between((_, response) => {
      if (isGone) response.destroy();
      return isGone;
    });
    const verifier = await remote([url], { firstRetryMs: 1 });
    isGone = true;
    expect(kindsOf(await verifier.check(FEW))).toEqual(['infra', 'infra', 'infra']);
  });

  it('but a crash, of a proof over which a server fails that is well otherwise', async () => {
    const url = await between((request, response, body) => {
      const breaks = isCheck(request) && body.includes('Nat.add_comm');
      if (breaks) response.writeHead(500).end('JSON decode error');
      return breaks;
    });
    const results = await (await remote([url], { firstRetryMs: 1 })).check([...FEW, candidates[3]!]);
    expect(kindsOf(results)).toEqual([...FEW_KINDS, 'crash']);
  });
});

describe('opening is refused', () => {
  it('without the key', async () => {
    await expect(remote([served.server.url], { keyVariable: 'TEST_LEAN_NO_KEY' })).rejects.toMatchObject({
      code: 'STP1203',
      retryable: false,
      advice: expect.stringContaining('STP_LEAN_KEY'),
    });
  });

  it('by a server with another Lean or library', async () => {
    const other = { version: environment.version, fingerprint: 'another' };
    await expect(remote([served.server.url], { environment: other })).rejects.toMatchObject({
      code: 'STP1203',
      message: expect.stringContaining(environment.fingerprint),
    });
  });

  it('where Lean must be walled in and is not', async () => {
    await expect(remote([served.server.url], { sandboxRequired: true })).rejects.toMatchObject({ code: 'STP1205' });
  });

  it('where nobody answers, for another try', async () => {
    await expect(remote(['http://127.0.0.1:9'])).rejects.toMatchObject({ code: 'STP1203', retryable: true });
  });
});

it("asks Kimina's server for the version of its Lean, and checks there", async () => {
  const version = (said: string) => (request: IncomingMessage, response: ServerResponse, body: string) => {
    if (request.url === '/api/environment') response.writeHead(404).end('{"detail":"Not Found"}');
    else if (body.includes('versionString')) {
      const message = { severity: 'info', pos: { line: 1, column: 0 }, endPos: null, data: `"${said}"` };
      response
        .writeHead(200)
        .end(JSON.stringify({ results: [{ id: 'a', time: 0.1, response: { env: 0, messages: [message] } }] }));
    } else return false;
    return true;
  };
  const ours = /\d+\.\d+\.\d+/.exec(environment.version)![0];
  expect(kindsOf(await (await remote([await between(version(ours))])).check(FEW))).toEqual(FEW_KINDS);
  await expect(remote([await between(version('4.9.0'))])).rejects.toMatchObject({
    message: expect.stringContaining('4.9.0'),
  });
});

it('ends its work on the server when it is cancelled', async () => {
  const { server, runMark, pool } = await serveLean({ driver: 'server', processes: 1 });
  const verifier = await remote([server.url]);
  const controller = new AbortController();
  const slow = { id: 'a', header: null, statement: 'theorem p : ∀ n : Nat, n = n', proof: LONG };
  const many = Array.from({ length: 200 }, (_, index) => ({
    ...slow,
    id: `${index}`,
    proof: `${LONG}${' '.repeat(index)}\nskip`,
  }));
  const checking = verifier.check(many, { signal: controller.signal });
  await untilMarked(runMark);
  while (pool.stats().busy === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort(new Error('enough'));
  await expect(checking).rejects.toThrow('enough');
  while (pool.stats().busy > 0 || pool.stats().waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await pool.close();
  expect(markedProcesses(runMark)).toEqual([]);
});

describe('settings of a worker', () => {
  it('name the servers and the variable of their key', () => {
    expect(workerSettings({}).leanServers).toBeNull();
    expect(
      workerSettings({ STP_LEAN_URL: 'http://one:8000, https://two/lean/', STP_LEAN_KEY: 'hidden' }).leanServers,
    ).toEqual({
      urls: ['http://one:8000', 'https://two/lean'],
      keyVariable: 'STP_LEAN_KEY',
    });
    expect(workerSettings({ STP_LEAN_URL: 'http://a', STP_LEAN_REQUESTS: '32' }).leanServers?.requestsPerServer).toBe(
      32,
    );
  });

  it.each([
    [{ STP_LEAN_URL: 'one:8000' }],
    [{ STP_LEAN_URL: 'http://one,' }],
    [{ STP_LEAN_URL: 'ftp://one' }],
    [{ STP_LEAN_URL: 'http://user:password@one' }],
    [{ STP_LEAN_URL: 'http://one', STP_LEAN_REQUESTS: '0' }],
  ])('are refused where they cannot be meant: %j', (settings) => {
    expect(() => workerSettings(settings)).toThrow(expect.objectContaining({ code: 'STP1001' }));
  });
});
