/**
 * Calls that their client cancels, or leaves by vanishing, and calls whose time is over: no Lean of the server computes on. Counted are the
 * processes themselves, on texts that Lean's own limits do not end. About a minute and a half of a core.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { expectAllIdle, untilAtWork } from './leans.ts';
import { callOf, httpClient, type OpenedClient, openedClient, servedOverHttp } from './opened.ts';

vi.setConfig({ testTimeout: 180_000 });

const folder = await mkdtemp(join(tmpdir(), 'stp-mcp-cancelled-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A quarter of an hour of the kernel's arithmetic on large numbers, which allocates little and so costs few heartbeats. */
const LONG = 'theorem long : (List.range 2000).foldl (fun a i => a + 3 ^ (15000000 + i) % 7) 0 = 1';
const PROOF = '  decide +kernel';
const TEXT = `${LONG} := by\n${PROOF}\n`;
const HOLE = { text: 'theorem hole : 1 = 1 := by\n  sorry\n', line: 2, column: 2 };
const LONG_TACTIC = `have : ${LONG.slice(LONG.indexOf('('))} := by decide +kernel`;

const CALLS: readonly [string, string, Record<string, unknown>][] = [
  ['a file', 'check_file', { text: TEXT }],
  ['a proof', 'verify_proof', { statement: LONG, proof: PROOF }],
  ['goals below a long proof', 'goals_at', { text: `${TEXT}${HOLE.text}`, line: 4, column: 2 }],
  ['tactics', 'try_tactics', { ...HOLE, tactics: [LONG_TACTIC, 'rfl'] }],
];
const SHORT = { statement: 'theorem t (a b : Nat) : a + b = b + a', proof: '  omega' };

interface Served {
  readonly pid: number;
  readonly call: OpenedClient['call'];
  close(): Promise<unknown>;
}

describe('over standard input and output', () =>
  endsWork(async () => {
    const { pid, call, client } = await openedClient(folder);
    return { pid, call, close: () => client.close() };
  }));

describe('over HTTP', { tags: ['slow'] }, () =>
  endsWork(async () => {
    const { url, child } = await servedOverHttp(folder, undefined);
    const close = async () => child.kill('SIGKILL');
    return { pid: child.pid!, call: callOf(await httpClient(url, null)), close };
  }),
);

function endsWork(open: () => Promise<Served>): void {
  let served: Served;
  beforeAll(async () => {
    served = await open();
  });
  afterAll(() => served.close());

  it.each(CALLS)('a cancelled call ends its work on %s', async (_, name, given) => {
    const { pid, call } = served;
    const cancel = new AbortController();
    const cancelled = call(name, given, { signal: cancel.signal });
    await untilAtWork(pid, cancelled);
    cancel.abort();
    await expect(cancelled).rejects.toThrow();
    await expectAllIdle(pid);
    expect(await call('verify_proof', SHORT)).toMatchObject({ verdict: 'proved' });
  });

  it.each(CALLS.slice(0, 3))('a call whose time is over ends its work on %s', async (_, name, given) => {
    const error = 'not done within 2 seconds; the work was ended';
    expect(await served.call(name, { ...given, timeout_seconds: 2 })).toEqual({ error });
    await expectAllIdle(served.pid);
  });

  it('tactics whose time is over end their work and answer with what was tried', async () => {
    // Each of the long ones may take five seconds of Lean.
    const tactics = ['rfl', ...Array.from({ length: 6 }, () => LONG_TACTIC), 'simp'];
    const tried = await served.call('try_tactics', { ...HOLE, tactics, timeout_seconds: 15 });
    const classes = (tried.results as { class: string | null }[]).map((one) => one.class);
    expect([classes[0], classes.at(-1)]).toEqual(['done', null]);
    await expectAllIdle(served.pid);
  });
}

describe('a client over HTTP that vanishes', () => {
  it('leaves no work on a file behind', () => vanishes('check_file', { text: TEXT }));

  it.each(CALLS.slice(1))('leaves no work on %s behind', { tags: ['slow'] }, (_, name, given) => vanishes(name, given));

  async function vanishes(name: string, given: object): Promise<void> {
    const { url, child } = await servedOverHttp(folder, undefined);
    onTestFinished(() => void child.kill('SIGKILL'));
    const begun = await post(url, {}, 'initialize', {
      ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
    });
    await text(begun.answer);
    const headers = { 'mcp-session-id': String(begun.answer.headers['mcp-session-id']) };
    const { sent, answer } = await post(url, headers, 'tools/call', { name, arguments: given });
    await untilAtWork(
      child.pid!,
      text(answer).catch(() => new Promise(() => {})),
    );
    sent.destroy();
    await expectAllIdle(child.pid!);
    // The session goes on.
    const listed = await post(url, headers, 'tools/list', {});
    expect(await text(listed.answer)).toContain(name);
  }
});

/** A request without a client, so that its socket can be destroyed. */
function post(url: URL, more: Record<string, string>, method: string, params: object) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more };
  return new Promise<{ sent: ClientRequest; answer: IncomingMessage }>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => resolve({ sent, answer }));
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  });
}
