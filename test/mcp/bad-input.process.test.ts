/** What agents do wrong, and what breaks: large messages, foreign files, floods, edits in a check, old clients. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { STP } from '../support/stp.ts';
import { type OpenedClient, openedClient } from './opened.ts';

vi.setConfig({ testTimeout: 180_000 });

let above: string;
let folder: string;
let scratch: string;
beforeAll(async () => {
  above = await mkdtemp(join(tmpdir(), 'stp-mcp-bad-'));
  folder = join(above, 'project');
  scratch = join(above, 'scratch');
  await mkdir(folder);
  await writeFile(join(above, 'secret.lean'), 'theorem secret : True := trivial\n');
  await symlink(join(above, 'secret.lean'), join(folder, 'Link.lean'));
  process.env.STP_SCRATCH = scratch;
});
afterAll(async () => {
  delete process.env.STP_SCRATCH;
  await rm(above, { recursive: true, force: true });
});

const GOOD = { statement: 'theorem t (a b : Nat) : a + b = b + a', proof: '  omega' };
const ENDLESS =
  'theorem slow : ∀ n : Nat, n = n := by\n  set_option maxHeartbeats 0 in\n  intro n; repeat (have := n)\n';

/** Returns the Lean processes among the descendants of this process. */
function leansBelow(pid: number): number {
  const parents = new Map<number, number>();
  const leans: number[] = [];
  for (const name of readdirSync('/proc'))
    try {
      if (!/^\d+$/u.test(name)) continue;
      // The name of a program may hold blanks and brackets; its parent stands behind the last one.
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /su, '')
        .split(' ');
      parents.set(Number(name), Number(parent));
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (words.includes('--worker') && !words[0]!.endsWith('bwrap')) leans.push(Number(name));
    } catch {
      // It has ended meanwhile.
    }
  const isBelow = (one: number | undefined): boolean => one !== undefined && (one === pid || isBelow(parents.get(one)));
  return leans.filter((one) => isBelow(one)).length;
}

describe('over the official client', () => {
  let agent: OpenedClient;
  beforeAll(async () => {
    agent = await openedClient(folder, '--max-calls', '4');
  });
  afterAll(() => agent.client.close());

  it.each([
    ['a megabyte', { ...GOOD, proof: `  ${'x'.repeat(1_048_576)}` }, /proof/u],
    ['another key', { ...GOOD, prof: '  rfl' }, /prof/u],
    ['another type', { ...GOOD, proof: ['  rfl'] }, /proof/u],
    ['nothing', {}, /statement/u],
    ['a time without an end', { ...GOOD, timeout_seconds: 1e9 }, /timeout_seconds/u],
    ['half a character', { ...GOOD, proof: '  /- \ud800 -/ omega' }, /^proof: it holds half a character/u],
    ['thousands of values', { ...GOOD, more: Array.from({ length: 5_000 }, () => 1) }, /elements/u],
  ])('refuses %s in a few lines', async (_, given, problem) => {
    const { error } = await agent.call('verify_proof', given);
    expect(error).toMatch(problem);
    expect(String(error).length).toBeLessThan(2_000);
    expect(String(error).split('\n').length).toBeLessThan(30);
  });

  it.each([
    ['../secret.lean', 'outside'],
    ['Link.lean', 'leads outside'],
    ['/etc/hostname', 'outside'],
  ])('refuses the file %s', async (path, problem) => {
    for (const [tool, more] of [
      ['check_file', {}],
      ['goals_at', { line: 1 }],
      ['try_tactics', { line: 1, tactics: ['rfl'] }],
      ['search_proof', { line: 1 }],
      ['find_premises', { line: 1 }],
    ] as const) {
      const { error } = await agent.call(tool, { path, ...more });
      expect(error).toContain(problem);
      expect(error).not.toContain('theorem');
    }
  });

  it.each([
    ['goals_at', { line: 1 }],
    ['goals_at', { text: 'theorem a : True := by\n  trivial', path: 'A.lean', line: 1 }],
    ['goals_at', { text: 'theorem a : True := by\n  trivial', line: 9 }],
    ['search_proof', {}],
    ['search_proof', { statement: GOOD.statement, text: 'x', line: 1 }],
    ['find_premises', {}],
    ['explain_certificate', {}],
    ['explain_certificate', { uri: 'stp-certificate://nothing' }],
  ])('says what %s lacks in %j', async (tool, given) => {
    expect((await agent.call(tool, given)).error).toMatch(/^STP1002 /u);
  });

  it('says why a place has no goal, and why a certificate is none', async () => {
    const text = 'import Init\ndef a := 1\n\ntheorem b : a = 1 := rfl\n';
    expect(await agent.call('goals_at', { text, line: 2 })).toMatchObject({ goals: [], problem: expect.any(String) });
    expect(await agent.call('explain_certificate', { certificate: '{}' })).toMatchObject({
      problem: expect.any(String),
      verdict: null,
    });
  });

  it('refuses calls beyond its bound, and answers the others of a flood', async () => {
    const text = 'theorem a (n : Nat) : n + 0 = n := by\n  sorry\n';
    const calls = Array.from({ length: 40 }, (_, index) =>
      agent.call('try_tactics', { text, line: 2, column: 2, tactics: [`exact (rfl : n + ${index % 3} = n)`, 'simp'] }),
    );
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ error }) => /4 calls are open/u.test(String(error)));
    expect(refused.length).toBeGreaterThan(0);
    const done = answers.filter(({ error }) => error === undefined);
    expect(done.length + refused.length).toBe(40);
    for (const { results } of done) expect((results as { class: string }[])[1]).toMatchObject({ class: 'done' });
    const processes = leansBelow(agent.pid);
    expect(processes).toBeGreaterThan(0);
    for (let round = 0; round < 20; round++)
      expect(await agent.call('try_tactics', { text, line: 2, column: 2, tactics: ['rfl'] })).not.toHaveProperty(
        'error',
      );
    expect(leansBelow(agent.pid)).toBe(processes);
  });

  it('says that a tactic without an end is invalid, and tries the next', async () => {
    const tactics = ['repeat (have := 1)', 'rfl'];
    const tried = await agent.call('try_tactics', {
      ...{ text: 'theorem a : 1 = 1 := by\n  sorry\n', line: 2, column: 2, tactics, timeout_seconds: 60 },
    });
    expect((tried.results as { class: string | null }[]).map((one) => one.class)).toEqual(['invalid', 'done']);
    expect(await agent.call('verify_proof', GOOD)).toMatchObject({ verdict: 'proved' });
  });

  it('judges a text of one moment, and says so if the file is edited meanwhile', async () => {
    const path = join(folder, 'Edited.lean');
    await writeFile(path, 'theorem a (a b : Nat) : a + b = b + a := by omega\n');
    let edited: Promise<void> | null = null;
    const found = await agent.call(
      'check_file',
      { path: 'Edited.lean' },
      {
        onProgress: () => {
          edited ??= writeFile(path, 'theorem a : 1 = 2 := by sorry\n');
        },
      },
    );
    expect(edited).not.toBeNull();
    expect(found).toMatchObject({ outcome: 'accepted', is_stale: true });
    expect(await agent.call('check_file', { path: 'Edited.lean' })).toMatchObject({
      outcome: 'rejected',
      is_stale: false,
    });
  });

  it('accepts nothing false, whatever the proof says', async () => {
    const statement = 'theorem t : (1 : Nat) = 2';
    for (const proof of [
      '  sorry',
      '  exact absurd rfl (by decide)',
      '  trivial\naxiom cheat : False',
      '  native_decide',
    ])
      expect((await agent.call('verify_proof', { statement, proof })).verdict).not.toBe('proved');
    const header = 'import Init\naxiom cheat : False';
    expect(await agent.call('verify_proof', { header, statement, proof: '  exact cheat.elim' })).toMatchObject({
      verdict: 'header_error',
    });
    expect(await agent.call('disprove', { statement: 'theorem t (a b : Nat) : a + b = b + a' })).toMatchObject({
      verdict: 'unknown',
      certificate_uri: null,
    });
  });
});

describe('over its own lines', () => {
  let server: ChildProcess;
  let answers: AsyncIterator<string>;
  beforeEach(() => {
    server = spawn(STP, ['mcp', '--project', folder, '--processes', '1'], { stdio: ['pipe', 'pipe', 'pipe'] });
    answers = createInterface({ input: server.stdout! })[Symbol.asyncIterator]();
  });
  afterEach(() => {
    server.kill('SIGKILL');
  });
  const send = (line: string): void => void server.stdin!.write(`${line}\n`);
  const answer = async (): Promise<Record<string, unknown>> => JSON.parse(String((await answers.next()).value));
  const request = (id: number, method: string, params: object): string =>
    JSON.stringify({ method, params, jsonrpc: '2.0', id });
  const initialize = (protocolVersion: string): void =>
    send(request(1, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '0' } }));

  it.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['1999-01-01', '2025-11-25'],
  ])('serves a client of version %s', async (asked, answered) => {
    initialize(asked);
    expect(await answer()).toMatchObject({ id: 1, result: { protocolVersion: answered } });
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    send(request(2, 'tools/call', { name: 'goals_at', arguments: { path: '../x.lean', line: 1 } }));
    const { result } = (await answer()) as { result: { content: { text: string }[]; isError: boolean } };
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('outside') }],
    });
  });

  it('passes over what is no message, and answers one that is too long with its id', async () => {
    send('nonsense');
    send('[1,2');
    initialize('2025-06-18');
    expect(await answer()).toMatchObject({ id: 1 });
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    send(request(2, 'tools/call', { name: 'verify_proof', arguments: { ...GOOD, proof: 'x'.repeat(20_000_000) } }));
    expect(await answer()).toMatchObject({ id: 2, error: { message: expect.stringContaining('longer than') } });
    send(request(3, 'ping', {}));
    expect(await answer()).toMatchObject({ id: 3, result: {} });
  });

  it.each(['the client’s end', 'SIGTERM'])('leaves nothing behind after %s', async (ending) => {
    initialize('2025-06-18');
    await answer();
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    send(request(2, 'tools/call', { name: 'verify_proof', arguments: GOOD }));
    expect(await answer()).toMatchObject({ id: 2, result: { structuredContent: { verdict: 'proved' } } });
    send(request(3, 'tools/call', { name: 'check_file', arguments: { text: ENDLESS } }));
    if (ending === 'SIGTERM') server.kill('SIGTERM');
    else server.stdin!.end();
    const [code] = await once(server, 'exit');
    expect(code).toBe(0);
    expect(existsSync(scratch) ? readdirSync(scratch).filter((name) => name.startsWith('mcp')) : []).toEqual([]);
  });
});
