/** The server over streamable HTTP: the official client with a key, sessions, and what is refused. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stp } from '../support/stp.ts';
import { callOf, httpClient as client, servedOverHttp } from './opened.ts';

vi.setConfig({ testTimeout: 180_000 });

const folder = await mkdtemp(join(tmpdir(), 'stp-mcp-http-'));
await writeFile(join(folder, 'A.lean'), 'theorem a : 1 = 1 := rfl\n');
afterAll(() => rm(folder, { recursive: true, force: true }));

function post(url: URL, headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      answer.on('end', () => resolve({ status: answer.statusCode!, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('with keys', () => {
  it('serves several clients, each in a session, and nobody without a key', async () => {
    const { url, child } = await servedOverHttp(folder, 'one,two');
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect(client(url, null)).rejects.toThrow(/key is wrong or missing/u);
    await expect(client(url, 'three')).rejects.toThrow(/key is wrong or missing/u);
    const [one, two] = [await client(url, 'one'), await client(url, 'two')];
    const progress: string[] = [];
    const [checked, judged] = await Promise.all([
      callOf(one)('check_file', { path: 'A.lean' }, { onProgress: (message) => progress.push(message) }),
      callOf(two)('verify_proof', { statement: 'theorem t : 2 = 2', proof: '  rfl' }),
    ]);
    expect(checked).toMatchObject({ outcome: 'accepted' });
    expect(judged).toMatchObject({ verdict: 'proved' });
    expect(progress).toContain('Lean is reading the file');
    const cancel = new AbortController();
    const slow = callOf(one)(
      'search_proof',
      { statement: 'theorem t (a b c : Nat) : a ^ 3 + b ^ 3 = c ^ 3 → a * b * c = 0', seconds: 100 },
      { signal: cancel.signal, onProgress: () => cancel.abort() },
    );
    await expect(slow).rejects.toThrow();
    expect(await callOf(two)('check_file', { path: 'A.lean' })).toMatchObject({ outcome: 'accepted' });
    const headers = {
      authorization: 'Bearer one',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await post(url, { ...headers, 'mcp-session-id': 'nothing' }, list)).toMatchObject({ status: 404 });
    expect(await post(url, headers, list)).toMatchObject({ status: 400 });
    expect(await post(url, headers, '{')).toMatchObject({ status: 400 });
    expect(await post(url, headers, `"${'x'.repeat(5_000_000)}"`)).toMatchObject({ status: 413 });
    await one.close();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('without keys', () => {
  it('serves this machine only, under its names', async () => {
    const { url, child } = await servedOverHttp(folder, undefined);
    onTestFinished(() => void child.kill('SIGKILL'));
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect(await post(url, { ...headers, host: 'evil.example' }, '{}')).toMatchObject({ status: 403 });
    expect((await (await client(url, null)).listTools()).tools.length).toBeGreaterThan(0);
  });

  it('does not serve other machines', async () => {
    const { stderr, exitCode } = await stp(['mcp', '--project', folder, '--port', '0', '--host', '0.0.0.0']);
    expect(stderr).toContain('would serve everyone');
    expect(exitCode).toBe(2);
  });
});
